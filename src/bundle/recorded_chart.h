// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "helm/render/renderable_chart.h"
#include "record/packed_chart.h"

namespace chartwright::bundle {

/// The files of a chart as records have them. Thread-safe.
class RecordedChart {
 public:
  explicit RecordedChart(std::shared_ptr<const helm::RenderableChart> chart)
      : chart_(std::move(chart)) {}

  /// Packs them at the first call: an operator that only starts needs none. Errors: those of
  /// record::pack_chart.
  base::Result<std::shared_ptr<const record::PackedChart>> packed() const CW_EXCLUDES(mutex_);

 private:
  const std::shared_ptr<const helm::RenderableChart> chart_;
  mutable base::Mutex mutex_;
  mutable std::shared_ptr<const record::PackedChart> packed_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::bundle
