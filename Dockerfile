# syntax=docker/dockerfile:1
# The Cairn server; docs/Install.md says how to run it. What RUN calls is in ops/image, and runs without a
# container engine too. The last stage holds Node, an init, the server and what they need: no shell, no
# package manager.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# The same for every platform, so that of the machine that builds does it.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS server
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/root/.npm node ops/image/server.mjs /image

# Native programs: on the platform that the image is for.
FROM ${NODE_IMAGE} AS programs
COPY ops/image/programs.sh /source/
RUN sh /source/programs.sh /image

FROM scratch
COPY --from=programs /image /
COPY --from=server /image/root /
# An empty /data: who serves owns it, and so each new volume.
COPY --from=server --chown=10001:10001 /image/owned /
ENV PATH=/usr/local/bin:/usr/bin \
    NODE_ENV=production \
    CAIRN_HOST=0.0.0.0
USER 10001:10001
# The default database is in ./data.
WORKDIR /
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["node", "/app/healthcheck.mjs"]
ENTRYPOINT ["tini", "--", "cairn"]
CMD ["serve"]
