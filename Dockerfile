# SPDX-License-Identifier: Apache-2.0
# The operator without charts: a project starts FROM this image and adds its own (docs/image.md).
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY .ci/deps .ci/deps.txt .ci/
RUN .ci/deps --build && rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt CMakePresets.json ./
COPY src src
RUN cmake --preset release -DCW_COST=OFF \
    && cmake --build --preset release --target chartwright --parallel "$(nproc)" \
    && strip build/release/chartwright build/release/libchartwright-grpc.so

FROM debian:bookworm-slim
# As in the image of helm-operator, so that its projects need not be changed.
ENV HOME=/opt/helm \
    USER_NAME=helm \
    USER_UID=1001
# The shared libraries of the binary (see "ldd build/release/chartwright"), and OpenSSL and libcurl, which it opens itself.
# Deployments with a command name /usr/local/bin/helm-operator. The default of --state-dir is for group 0 too: some clusters choose the user, but not the group.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates libcurl4 libprometheus-cpp-core1.0 libsimdjson14 libssl3 tzdata \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/apt /var/log/*.log \
    && echo "${USER_NAME}:x:${USER_UID}:0:${USER_NAME} user:${HOME}:/usr/sbin/nologin" >>/etc/passwd \
    && mkdir --parents ${HOME} \
    && install --directory --owner=${USER_UID} --group=0 --mode=0770 /var/lib/chartwright \
    && ln --symbolic chartwright /usr/local/bin/helm-operator
# The library is opened by the first external that uses gRPC; a project with such a chart installs libgrpc++1.51 too.
COPY --from=build /src/build/release/chartwright /src/build/release/libchartwright-grpc.so /usr/local/bin/
WORKDIR ${HOME}
USER ${USER_UID}
ENTRYPOINT ["/usr/local/bin/helm-operator", "run", "--watches-file=./watches.yaml"]
