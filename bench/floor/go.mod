module chartwright.io/bench/floor

go 1.26.0
