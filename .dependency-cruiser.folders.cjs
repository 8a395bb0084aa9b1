// The folders of apps/api form no circle, those of apps/api/dialects included. Apart from .dependency-cruiser.cjs, since specs, the files directly in
// apps/api, which compose the folders, and those directly in apps/api/edge, on which all build, are left out of the graph.
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'no-folder-circles',
      severity: 'error',
      scope: 'folder',
      from: { path: '^apps/api/' },
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: ['^dist/', '\\.spec\\.ts$', '^test/', '^apps/api/(edge/)?[^/]+\\.ts$'] } },
};
