# SPDX-License-Identifier: Apache-2.0
# The operator with the shipped charts. A project of its own starts FROM this image and copies its watches.yaml
# and charts over those here.
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY .ci/deps .ci/deps.txt .ci/
RUN apt-get update && .ci/deps && rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt CMakePresets.json ./
COPY src src
RUN cmake --preset release -DBUILD_TESTING=OFF \
    && cmake --build --preset release --target chartwright \
    && strip build/release/chartwright

FROM debian:bookworm-slim
# The shared libraries of the binary (see "ldd build/release/chartwright"), and OpenSSL and libcurl, which it opens itself.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates libcrypt1 libcurl4 libprometheus-cpp-core1.0 libsimdjson14 libssl3 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/chartwright /usr/local/bin/chartwright
# For a Deployment whose command is /usr/local/bin/helm-operator.
RUN ln -s chartwright /usr/local/bin/helm-operator
# Opened by the first external that uses gRPC; an image for such charts installs libgrpc++1.51 too.
COPY --from=build /src/build/release/libchartwright-grpc.so /usr/local/bin/
WORKDIR /opt/helm
COPY watches.yaml ./
COPY charts charts
USER 1001
ENTRYPOINT ["chartwright", "run", "--watches-file=./watches.yaml"]
