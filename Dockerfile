# The base image is an argument, so that the image can be built where no registry is reached.
# It is Debian's, or made from it, with Python 3.11 or later, venv and pip; see docs/docker.md.
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

# What no command uses is left out: the libraries' tests and what serves these, headers and stubs, other
# databases, classes mapped to tables, colours for programming languages, and the symbols for debuggers,
# where a Debian mirror has strip; that of Debian 12 breaks what wheels bring in folders of libraries.
# What is seldom imported is not compiled.
RUN command -v strip || { apt-get update && apt-get install --yes --no-install-recommends binutils; } \
        || echo "the libraries keep their symbols"
RUN cd /opt/ggp-player/lib/python3*/site-packages \
    && find . -depth -type d \( -name tests -o -path ./numpy/f2py -o -path ./sqlalchemy/testing \
            -o -path ./sqlalchemy/orm -o -path './sqlalchemy/dialects/m*sql' -o -path ./sqlalchemy/dialects/oracle \
            -o -path ./alembic/testing \) -exec rm -r {} + \
    && rm -f numpy/_core/_simd.*.so \
    && find . -type f -path './pygments/lexers/*' ! -name __init__.py ! -name _mapping.py -delete \
    && find . -type f \( -name '*.pyi' -o -name '*.px[di]' -o -name '*.pyx' -o -name '*.[ah]' \) -delete \
    && { ! command -v strip || find . -type f -name '*.so*' ! -path './*.libs/*' -exec strip --strip-unneeded {} +; } \
    && python3 -m compileall -q . \
        -x '/(pygments|numpy/(ma|typing|testing))/'


FROM ${BASE} AS system
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /app --shell /usr/sbin/nologin player
COPY --from=build /opt/ggp-player /opt/ggp-player
COPY games /app/games
RUN install --directory --owner=player /var/cache/gdl \
    && install --directory --owner=player --mode=0700 /var/lib/ggp-player /var/lib/ggp-player-archive
USER player
# Compiled for the CPU of this machine; on another kind the server compiles again when it starts.
RUN GDL_CACHE=/var/cache/gdl /opt/ggp-player/bin/ggp-player warm-up
USER root
# The server starts no program but Python. What goes: all programs but Python and sh, the libraries
# of apt and Perl, documents, translations, tables for iconv, pip, and Python's own installers.
RUN rm -r -f /usr/share/doc /usr/share/man /usr/share/info /usr/share/locale /usr/share/perl* \
        /usr/lib/*/perl* /usr/lib/*/libapt-* /usr/lib/*/gconv /usr/lib/apt /var/lib/apt /var/log/* \
        /var/cache/apt /var/cache/debconf /usr/lib/python3/dist-packages /usr/share/python-wheels \
        /usr/local/lib/python3*/site-packages /usr/local/lib/python3*/ensurepip \
        /usr/local/lib/python3*/idlelib \
    && exec find /usr/bin /usr/sbin /usr/local/bin \
        ! -type d ! -name 'python3*' ! -name sh ! -name dash -delete


# Copied, as a layer that removes files makes no image smaller.
FROM scratch
COPY --from=system / /
WORKDIR /app
ENV PATH=/opt/ggp-player/bin:/usr/local/bin:/usr/bin:/bin \
    LANG=C.UTF-8 \
    PYTHONUNBUFFERED=1 \
    GDL_CACHE=/var/cache/gdl \
    GGP_PLAYER_STATE_DIR=/var/lib/ggp-player \
    GGP_PLAYER_ARCHIVE=/var/lib/ggp-player-archive/matches.sqlite
USER player
EXPOSE 9147
HEALTHCHECK --interval=30s --timeout=10s --start-period=15s --retries=3 \
    CMD ["ggp-player", "health", "127.0.0.1:9147"]
ENTRYPOINT ["ggp-player", "serve", "--host", "0.0.0.0"]
