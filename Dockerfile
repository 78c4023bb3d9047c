# syntax=docker/dockerfile:1
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG DISTROLESS_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

# Everything that is needed to compile, and then what is needed to run.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc LICENSE ./
RUN npm ci
COPY rolldown.config.js ./
COPY src ./src
COPY plugins ./plugins
COPY routes ./routes
COPY scripts/healthcheck.ts ./scripts/
RUN npm run build && npm prune --omit=dev

# No shell and no package manager; `docker build --target distroless`.
FROM ${DISTROLESS_IMAGE} AS distroless
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="fs-sidecar" \
      org.opencontainers.image.description="Read-only file search for AI agents, as a sidecar" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    PATH=/nodejs/bin \
    FS_ROOT=/workspace \
    FS_HOST=0.0.0.0 \
    FS_PORT=8080
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s --retries=3 CMD ["node", "dist/scripts/healthcheck.js"]
ENTRYPOINT ["node", "dist/src/server.js"]

FROM ${NODE_IMAGE} AS runtime
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="fs-sidecar" \
      org.opencontainers.image.description="Read-only file search for AI agents, as a sidecar" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    FS_ROOT=/workspace \
    FS_HOST=0.0.0.0 \
    FS_PORT=8080
WORKDIR /app
# Owned by root: the service's user can read its own files and change none of them.
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir /workspace
# A number, so that Kubernetes can see that it is not root; any other will do.
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s --retries=3 CMD ["node", "dist/scripts/healthcheck.js"]
ENTRYPOINT ["node", "dist/src/server.js"]
