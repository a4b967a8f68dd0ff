# The pipeline with the packages of requirements.lock:
#   docker build --tag transitivity .
#   docker run --rm --volume "$PWD/results:/transitivity/results" transitivity
FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc git libc6-dev make \
    && rm --recursive --force /var/lib/apt/lists/*
WORKDIR /transitivity
COPY . .
RUN make .venv/installed
ENTRYPOINT ["make"]
CMD ["reproduce"]
