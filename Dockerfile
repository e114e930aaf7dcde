# An image with the program, MPI and Fashion-MNIST: docker build -t muster .   (docs/howto/install.md)
FROM debian:bookworm AS build
COPY . /source
WORKDIR /source
RUN apt-get update && tools/packages.sh $(cat tools/build_packages.txt tools/mpi_packages.txt) && \
    cmake --preset release -DMUSTER_TESTS=OFF && cmake --build --preset release && \
    cmake --install build/release --prefix /installed

FROM debian:bookworm
RUN apt-get update && \
    apt-get install -y --no-install-recommends libfyaml0 libjansson4 libpng16-16 libturbojpeg0 zlib1g libcurl4 ca-certificates openmpi-bin dataset-fashion-mnist && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /installed /usr/local
WORKDIR /data
ENTRYPOINT ["muster"]
