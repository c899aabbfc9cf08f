# The base image is an argument, so that the image can be built where no registry is reached.
# It needs Python 3.11 or later with venv and pip; see docs/docker.md.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
ARG PIP_INDEX_URL
WORKDIR /src

# Dependencies are a layer of their own: a change of the source does not install them again.
COPY requirements.lock ./
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf \
    --mount=type=secret,id=ca.pem \
    python3 -m venv /build \
    && python3 -m venv --without-pip /opt/ggp-player \
    && /build/bin/pip --python /opt/ggp-player/bin/python install --no-cache-dir --no-compile \
        --require-hashes --requirement requirements.lock

# Extras such as postgresql, which the manager needs for PostgreSQL; their versions are not locked.
ARG EXTRAS=""
COPY pyproject.toml README.md LICENSE ./
COPY gdl gdl
COPY ggp_player ggp_player
COPY games games
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf \
    --mount=type=secret,id=ca.pem \
    if [ -n "$EXTRAS" ]; then set -- ".[$EXTRAS]"; else set -- --no-deps .; fi \
    && /build/bin/pip --python /opt/ggp-player/bin/python install --no-cache-dir --no-compile "$@"

# What no command uses is left out: the libraries' tests, headers and stubs, and the symbols for
# debuggers, where a Debian mirror has strip. What is seldom imported is not compiled.
RUN command -v strip || { apt-get update && apt-get install --yes --no-install-recommends binutils; } \
        || echo "the libraries keep their symbols"
RUN cd /opt/ggp-player/lib/python3*/site-packages \
    && find . -depth -type d \( -name tests -o -path ./numpy/f2py \) -exec rm -r {} + \
    && find . -type f \( -name '*.pyi' -o -name '*.px[di]' -o -name '*.pyx' -o -name '*.[ah]' \) -delete \
    && { ! command -v strip || find . -type f -name '*.so*' -exec strip --strip-unneeded {} +; } \
    && python3 -m compileall -q . \
        -x '/(pygments|sqlalchemy/(dialects/(mssql|mysql|oracle)|testing)|numpy/(ma|typing|testing))/'


FROM ${BASE}
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /app --shell /usr/sbin/nologin player
COPY --from=build /opt/ggp-player /opt/ggp-player
WORKDIR /app
COPY games games
ENV PATH=/opt/ggp-player/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    GDL_CACHE=/var/cache/gdl \
    GGP_PLAYER_STATE_DIR=/var/lib/ggp-player \
    GGP_PLAYER_ARCHIVE=/var/lib/ggp-player-archive/matches.sqlite
RUN install --directory --owner=player /var/cache/gdl \
    && install --directory --owner=player --mode=0700 /var/lib/ggp-player /var/lib/ggp-player-archive
USER player
# Compiled for the CPU of this machine; on another kind the server compiles again when it starts.
RUN ggp-player warm-up
EXPOSE 9147
HEALTHCHECK --interval=30s --timeout=10s --start-period=15s --retries=3 \
    CMD ["ggp-player", "health", "127.0.0.1:9147"]
ENTRYPOINT ["ggp-player", "serve", "--host", "0.0.0.0"]
