# arena-llm without a screen, for evaluations and for the server of a study. Files are read and written in /data:
#
#   docker build --tag arena-llm .
#   docker run --rm --init --volume "$PWD:/data" arena-llm eval --model arena/pixels --levels 1-3
#   docker run --rm --init --volume "$PWD:/data" --publish 127.0.0.1:8420:8420 arena-llm \
#       study study.yaml --db study.db --host 0.0.0.0 --name study.university.example
#   docker run --rm --init --publish 127.0.0.1:8000:8000 arena-llm serve --suite est --host 0.0.0.0
#
# The user in the container has the number 1000; if yours is another: --user "$(id -u)".

FROM python:3.11-bookworm AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/arena-llm \
 && /opt/arena-llm/bin/pip install --no-cache-dir --constraint constraints.txt '.[people,mcp,openenv]'

FROM python:3.11-slim-bookworm
RUN useradd --uid 1000 arena \
 && install --directory --owner arena /data
COPY --from=build /opt/arena-llm /opt/arena-llm
ENV PATH=/opt/arena-llm/bin:$PATH HOME=/tmp
USER arena
WORKDIR /data
EXPOSE 8420
# As Ctrl-C: the server of a study closes its database, an evaluation can be resumed.
STOPSIGNAL SIGINT
ENTRYPOINT ["arena-llm"]
CMD ["doctor"]
