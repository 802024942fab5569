// SPDX-License-Identifier: Apache-2.0
#include "helm/render/operator_template.h"

#include <utility>

#include "base/memory_limit.h"
#include "base/mutex.h"
#include "helm/render/diagnosis.h"
#include "helm/render/functions.h"
#include "helm/render/rendering.h"
#include "helm/render/template_error.h"

namespace chartwright::helm {

using value::Value;

struct OperatorTemplate::Shared {
  const std::shared_ptr<const RenderableChart> loaded;
  const std::string name;
  const std::string text;
  base::Mutex mutex;
  std::shared_ptr<const tmpl::Template> parsed CW_GUARDED_BY(mutex) = nullptr;
  std::shared_ptr<const tmpl::Tree> tree CW_GUARDED_BY(mutex) = nullptr;  // Of `text`.

  base::Result<std::shared_ptr<const tmpl::Template>> templates() CW_EXCLUDES(mutex) {
    const base::MutexLock lock(mutex);
    CW_TRY_VOID(parse());
    return parsed;
  }

  base::Result<std::shared_ptr<const tmpl::Tree>> own_tree() CW_EXCLUDES(mutex) {
    const base::MutexLock lock(mutex);
    CW_TRY_VOID(parse());
    return tree;
  }

  base::Status parse() CW_REQUIRES(mutex) {
    if (parsed == nullptr) {
      const Renderables renderables = callable_templates(loaded->chart());
      CW_TRY(const auto named, loaded->templates(sources_of(renderables)));
      auto all = std::make_shared<tmpl::Template>(*named);
      auto own = all->parse_tree(name, text);
      if (!own.ok()) {
        return clean_parse_error(std::move(own).error(), text);
      }
      tree = *std::move(own);
      parsed = std::move(all);
    }
    return {};
  }

  base::Result<std::string> render(const Value& data, const RenderContext& context)
      CW_EXCLUDES(mutex) {
    CW_TRY(const auto parsed_with, templates());
    base::Budget budget(context.limits, context.clock);
    tmpl::WrittenDicts written;
    RenderState state(loaded->caches(), context.cluster, context.complaints, loaded->profile());
    std::string out;
    tmpl::Failure failure;
    const tmpl::ExecOptions options{
        tmpl::MissingKey::kZero, budget, written, context.host, &state, &failure};
    if (auto status = parsed_with->execute(name, data, options, out); !status.ok()) {
      return clean_exec_error(std::move(status).error().with_help(help_for(failure, data)),
                              loaded->profile().errors);
    }
    return without_no_value(out);
  }

  // The user's values are not known here, so the help names no origins rather than wrong ones.
  std::string help_for(const tmpl::Failure& failure, const Value& data) const {
    const Renderables renderables = callable_templates(loaded->chart());
    const auto source = [&](std::string_view file) -> const std::string* {
      if (file == name) {
        return &text;
      }
      const auto found = renderables.find(std::string(file));
      return found != renderables.end() ? found->second.text : nullptr;
    };
    return diagnose(failure, {source, data, ValueOrigins()});
  }
};

OperatorTemplate::OperatorTemplate(std::shared_ptr<const RenderableChart> loaded, std::string name,
                                   std::string text)
    : shared_(new Shared{std::move(loaded), std::move(name), std::move(text), {}}) {}

const std::string& OperatorTemplate::name() const { return shared_->name; }
const std::string& OperatorTemplate::text() const { return shared_->text; }

base::Status OperatorTemplate::parse() const {
  CW_TRY_DISCARD(shared_->templates());
  return {};
}

base::Result<std::shared_ptr<const tmpl::Tree>> OperatorTemplate::tree() const {
  return shared_->own_tree();
}

base::Result<std::vector<std::string>> OperatorTemplate::callable() const {
  CW_TRY(const auto all, shared_->templates());
  return all->names();
}

base::Result<std::string> OperatorTemplate::render(const Value& data,
                                                   const RenderContext& context) const {
  return base::within_memory(context.limits.memory_bytes_max,
                             [&] { return shared_->render(data, context); });
}

}  // namespace chartwright::helm
