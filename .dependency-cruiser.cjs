// Imports point one way: domain <- libs <- projections <- gpu-runner <- apps. See docs/architecture.md.
const libs = '^libs/';
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain knows no framework, driver, clock or randomness.',
      severity: 'error',
      from: { path: '^libs/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^libs/domain/' },
    },
    {
      name: 'libs-below-everything',
      severity: 'error',
      from: { path: libs, pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|projections|gpu-runner|test)/' },
    },
    {
      name: 'projections-below-apps',
      severity: 'error',
      from: { path: '^projections/' },
      to: { path: '^(apps|gpu-runner|test)/' },
    },
    {
      name: 'runner-below-apps',
      severity: 'error',
      from: { path: '^gpu-runner/' },
      to: { path: '^(apps|projections|test)/' },
    },
    {
      name: 'runner-contract-stands-alone',
      comment:
        'The API and workers know runners by this folder: it brings along neither an engine nor how a runner works.',
      severity: 'error',
      from: { path: '^gpu-runner/contract/' },
      to: { path: '^(apps|libs|projections|gpu-runner|test)/', pathNot: '^(gpu-runner/contract|libs/domain)/' },
    },
    {
      name: 'adapters-only-in-composition',
      comment: 'Nothing above a port knows which adapter is in use.',
      severity: 'error',
      from: {
        path: '^(libs/(domain|application)|projections|gpu-runner|apps/(api|worker))/',
        pathNot: '\\.spec\\.ts$',
      },
      to: {
        path: '^libs/(event-store|read-store|bus|object-store|coordination)/(sqlite|in-process|folder|eventstoredb|mongodb|nats|s3)/',
      },
    },
    {
      name: 'nest-only-in-apps',
      severity: 'error',
      from: { path: '^(libs|projections|gpu-runner)/' },
      to: { path: 'node_modules/(@nestjs|fastify)/' },
    },
    {
      name: 'no-test-code-in-production',
      severity: 'error',
      from: { path: '^(apps|libs|projections|gpu-runner)/', pathNot: '\\.(spec|contract)\\.ts$' },
      to: { path: '(^test/|\\.spec\\.ts$|\\.contract\\.ts$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
