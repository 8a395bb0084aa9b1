# One image for all roles: `docker run anneal` is everything in one process; `anneal api`, `anneal worker`, `anneal gpu-runner` are one role.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node scripts/build.mjs \
  && rm -rf dist/test dist/tools && find dist \( -name '*.spec.js' -o -name '*.fixture.js' -o -name '*.suite.js' -o -name '*.map' \) -delete

# What the programs need to run. The Node that comes with the packages is the image's own already.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin \
  node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32 node_modules/onnxruntime-web && npm cache clean --force

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 ANNEAL_DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/scripts/start.mjs scripts/
COPY package.json LICENSE ./
COPY deploy/make-bucket.mjs deploy/make-event-store-user.mjs deploy/
RUN mkdir /data && chown node:node /data
# `node`, by number, so that Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "--expose-gc", "--disable-warning=ExperimentalWarning", "scripts/start.mjs"]
