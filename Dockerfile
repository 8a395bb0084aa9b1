# One image for all roles: `docker run anneal` is everything in one process; `anneal api`, `anneal worker`, `anneal gpu-runner` are one role.
# It holds what `npm pack` makes. Its root may be read-only: only /data and /tmp need writing.
# Pin the digest that your registry shows for a build that must be repeatable: docker build --build-arg NODE=node:24.21.0-bookworm-slim@sha256:...
ARG NODE=node:24.21.0-bookworm-slim

FROM ${NODE} AS package
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node scripts/build.mjs && npm pack --pack-destination /tmp

# The packages of the lock. The Node that comes with them is the image's own already.
FROM ${NODE} AS installed
WORKDIR /app
COPY --from=package /tmp/anneal-*.tgz /tmp/
COPY package-lock.json .npmrc ./
RUN tar -xzf /tmp/anneal-*.tgz --strip-components=1 && npm ci --omit=dev && rm -rf node_modules/node-linux-* \
  node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32 node_modules/onnxruntime-web
COPY deploy/make-bucket.mjs deploy/make-event-store-user.mjs deploy/

FROM ${NODE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title=Anneal \
  org.opencontainers.image.description="Turns labelled examples into small task models, serves them, and records every call" \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.version=${VERSION} \
  org.opencontainers.image.revision=${REVISION}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 ANNEAL_DATA_DIR=/data NODE_COMPILE_CACHE=/tmp/compiled
WORKDIR /app
COPY --from=installed /app ./
RUN ln -s /app/apps/cli/bin/anneal.mjs /usr/local/bin/anneal && chmod 755 apps/cli/bin/anneal.mjs && mkdir /data && chown node:node /data
# `node`, by number, so that Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["anneal", "start"]
