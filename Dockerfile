# The service with its console. One image for every role: PLATFORM_ROLE is all, api, or worker.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund && CI=1 NX_TUI=false NX_DAEMON=false npm run build
# The image does not need the tools, the embedded database, or the sources.
RUN rm -rf node_modules apps/*/node_modules libs/*/node_modules \
  && npm ci --omit=dev --omit=optional --workspace @platform/api --no-audit --no-fund \
  && rm -rf .nx tools docs apps/api/e2e apps/*/src libs/*/src

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 PLATFORM_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app .
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.PORT}/api/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "apps/api/dist/main.js"]
