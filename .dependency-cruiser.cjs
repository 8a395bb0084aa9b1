// Imports point one way: domain <- libs <- projections <- libs/application <- libs/calls <- libs/use-cases <- apps; gpu-runner stands beside the
// projections. Within apps: composition, operator <- api, worker, runner <- past <- cli; all <- standalone. See docs/design/architecture.md.
const libs = '^libs/';
// Test code lies beside what it tests, under these names.
const tests = '(\\.(spec|suite|fixture)|(^|/)contract)\\.ts$';

/** An app imports itself and these. */
const app = (name, imports) => ({
  name: `app-${name}`,
  severity: 'error',
  from: { path: `^apps/${name}/`, pathNot: tests },
  to: { path: '^apps/', pathNot: `^apps/(${[name, ...imports].join('|')})/` },
});
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'Types included: what two files share is in a third.',
      from: {},
      to: { circular: true },
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
      from: { path: libs, pathNot: [tests, '^libs/(calls|use-cases)/'] },
      to: { path: '^(apps|gpu-runner|test)/' },
    },
    {
      name: 'application-above-projections',
      comment: 'Use cases ask read models; no other library knows one.',
      severity: 'error',
      from: { path: libs, pathNot: [tests, '^libs/(application|calls|use-cases)/'] },
      to: { path: '^projections/' },
    },
    {
      name: 'use-cases-above-all-libs',
      comment: 'Use cases stand on every other library; none of those gives a command.',
      severity: 'error',
      from: { path: libs, pathNot: [tests, '^libs/use-cases/'] },
      to: { path: '^libs/use-cases/' },
    },
    {
      name: 'drawers-of-libs',
      comment: 'Ports stand on primitives, the engines of the log on ports; none of them knows a subject.',
      severity: 'error',
      from: { path: '^libs/(ports|log|primitives)/', pathNot: tests },
      to: { path: '^libs/', pathNot: '^libs/(domain|ports|log|primitives)/' },
    },
    {
      name: 'primitives-below-ports',
      severity: 'error',
      from: { path: '^libs/primitives/', pathNot: tests },
      to: { path: '^libs/', pathNot: '^libs/(domain|primitives)/' },
    },
    {
      name: 'ports-below-the-log',
      severity: 'error',
      from: { path: '^libs/ports/', pathNot: tests },
      to: { path: '^libs/log/' },
    },
    {
      name: 'projections-above-their-ports',
      severity: 'error',
      from: { path: '^projections/', pathNot: tests },
      to: { path: '^libs/', pathNot: '^libs/(domain|ports/(event-store|read-store)|log/projector)/' },
    },
    {
      name: 'calls-know-the-runners-contract',
      comment: 'Calls and use cases know what a runner takes, answers and has, and nothing of how it does that.',
      severity: 'error',
      from: { path: '^libs/(calls|use-cases)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps/|test/|gpu-runner/(?!contract/))' },
    },
    {
      name: 'api-and-worker-know-the-runners-contract',
      comment: 'Composition hands them the facts of the engines.',
      severity: 'error',
      from: { path: '^apps/(api|worker)/', pathNot: tests },
      to: { path: '^gpu-runner/(?!contract/)' },
    },
    {
      name: 'engines-are-named-where-they-are-registered',
      severity: 'error',
      from: {
        path: '^(apps|libs|projections|gpu-runner)/',
        pathNot: [tests, '^gpu-runner/engines/([^/]+/|engines\\.ts$)'],
      },
      to: { path: '^gpu-runner/engines/[^/]+/' },
    },
    {
      name: 'projections-below-apps',
      severity: 'error',
      from: { path: '^projections/', pathNot: tests },
      to: { path: '^(apps|gpu-runner|test)/' },
    },
    {
      name: 'runner-below-apps',
      severity: 'error',
      from: { path: '^gpu-runner/', pathNot: tests },
      to: { path: '^(apps|projections|test)/' },
    },
    {
      name: 'runner-contract-stands-alone',
      comment:
        'The API and workers know runners by this folder: it brings along neither an engine nor how a runner works.',
      severity: 'error',
      from: { path: '^gpu-runner/contract/' },
      to: {
        path: '^(apps|libs|projections|gpu-runner|test)/',
        pathNot: '^(gpu-runner/contract/|libs/domain/|libs/ports/bus/port\\.ts$)',
      },
    },
    {
      name: 'adapters-only-in-composition',
      comment: 'Nothing above a port knows which adapter is in use.',
      severity: 'error',
      from: {
        path: '^(libs/(domain|application|use-cases)|projections|gpu-runner|apps/(api|worker))/',
        pathNot: '\\.spec\\.ts$',
      },
      to: {
        path: '^libs/ports/[^/]+/(sqlite|in-process|folder|eventstoredb|mongodb|nats|s3)/',
      },
    },
    // Composition opens the ports of every process; the operator's operations need a system that somebody else has opened.
    app('composition', []),
    app('operator', []),
    app('api', ['composition']),
    app('worker', ['composition']),
    app('runner', ['composition']),
    app('past', ['composition', 'operator', 'api', 'worker']),
    app('cli', ['composition', 'operator', 'past']),
    app('demo', []),
    {
      name: 'console-stands-alone',
      comment:
        'It runs in browsers, and knows of the system what /openapi.json says; with the verifier of exports, which needs no system.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: '^apps/console/pages/reports/verification/' },
      to: { path: '^(apps/(?!console/)|libs|projections|gpu-runner|test|tools)/' },
    },
    {
      name: 'verifier-stands-alone',
      comment: 'The verifier of exports runs in browsers too.',
      severity: 'error',
      from: {
        path: '^(apps/console/pages/reports/verification/|libs/audit/(verify-export|export-format|note|cosigned|entry|opened|primitives|tree/(hashes|proofs))[.]ts)',
        pathNot: '[.]spec[.]ts$',
      },
      to: {
        path: '^(node:|apps/(?!console/)|libs|projections|gpu-runner|test|tools)',
        pathNot:
          '^libs/(domain/|audit/(verify-export|export-format|note|cosigned|entry|opened|primitives|tree/(hashes|proofs|tiles))[.]ts|ports/(event-store/seal-context|key-store/seal-format)[.]ts)',
        dependencyTypesNot: ['type-only'],
      },
    },
    app('standalone', ['composition', 'operator', 'api', 'worker', 'runner']),
    {
      name: 'dialects-beside-routes',
      comment: 'Both stand on the edge and give use cases; neither knows the other.',
      severity: 'error',
      from: { path: '^apps/api/(dialects|routes)/', pathNot: tests },
      to: { path: '^apps/api/(dialects|routes)/', pathNot: '^apps/api/$1/' },
    },
    {
      name: 'edge-below-routes-and-dialects',
      severity: 'error',
      from: { path: '^apps/api/edge/', pathNot: tests },
      to: { path: '^apps/api/(dialects|routes)/' },
    },
    {
      name: 'nest-only-in-api-and-use-cases',
      severity: 'error',
      from: { path: '^(apps|libs|projections|gpu-runner|tools)/', pathNot: [tests, '^(apps/api|libs/use-cases)/'] },
      to: { path: 'node_modules/(@nestjs|fastify)/' },
    },
    {
      name: 'use-cases-know-no-http',
      severity: 'error',
      from: { path: '^libs/use-cases/', pathNot: tests },
      to: { path: 'node_modules/(fastify|@nestjs/(platform-fastify|swagger|terminus))/' },
    },
    {
      name: 'tools-below-apps',
      severity: 'error',
      from: { path: '^tools/' },
      to: { path: '^(apps|projections)/' },
    },
    {
      name: 'no-tools-in-production',
      comment: 'A tool makes what is committed; nothing that runs needs it.',
      severity: 'error',
      from: { path: '^(apps|libs|projections|gpu-runner)/', pathNot: tests },
      to: { path: '^tools/' },
    },
    {
      name: 'no-test-code-in-production',
      severity: 'error',
      from: { path: '^(apps|libs|projections|gpu-runner|tools)/', pathNot: tests },
      to: { path: ['^test/', tests] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    webpackConfig: { fileName: 'scripts/import-aliases.mjs' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
