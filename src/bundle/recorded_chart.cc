// SPDX-License-Identifier: Apache-2.0
#include "bundle/recorded_chart.h"

#include <algorithm>
#include <iterator>

namespace chartwright::bundle {
namespace {

std::vector<record::ChartFile> recorded_files(const std::vector<helm::File>& files) {
  std::vector<record::ChartFile> recorded;
  recorded.reserve(files.size());
  std::transform(files.begin(), files.end(), std::back_inserter(recorded),
                 [](const helm::File& file) {
                   return record::ChartFile{file.name, file.data};
                 });
  return recorded;
}

}  // namespace

base::Result<std::shared_ptr<const record::PackedChart>> RecordedChart::packed() const {
  const base::MutexLock lock(mutex_);
  if (packed_ == nullptr) {
    const helm::ChartContent& content = *chart_->chart().content;
    record::ChartFiles files;
    files.lock = content.lock;
    files.schema = content.schema;
    files.templates = recorded_files(content.templates);
    files.files = recorded_files(content.files);
    CW_TRY(packed_, record::pack_chart(files));
  }
  return packed_;
}

}  // namespace chartwright::bundle
