import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import type { Route } from './api/permitted.js';
import { Shell } from './components/shell.js';
import { NotFound } from './components/not-found.js';
import { PAGES } from './pages.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the page is for; people whose role does not permit it are told so in its place. */
    readonly sends?: Route;
  }
}

const single = (path: string, sends: Route, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component,
    staticData: { sends },
  });

const pages = PAGES.map(({ path, sends, component }) => single(path, sends, component));

/** Pages of single things, and that of the components. */
const singles = [
  single(
    '/design',
    'GET /health',
    lazyRouteComponent(() => import('./pages/design/design-page.js'), 'DesignPage'),
  ),
  single(
    '/datasets/new',
    'POST /felix/datasets/upload/process',
    lazyRouteComponent(() => import('./pages/datasets/new-dataset-page.js'), 'NewDatasetPage'),
  ),
  single(
    '/datasets/$name/$version',
    'GET /felix/datasets/{name}/{version}',
    lazyRouteComponent(() => import('./pages/datasets/version-page.js'), 'VersionPage'),
  ),
  single(
    '/training/new',
    'POST /felix/training-jobs',
    lazyRouteComponent(() => import('./pages/training/new-training-page.js'), 'NewTrainingPage'),
  ),
  single(
    '/training/compare',
    'GET /felix/training-jobs',
    lazyRouteComponent(() => import('./pages/training/compare-page.js'), 'ComparePage'),
  ),
  single(
    '/training/$id',
    'GET /felix/training-jobs/{id}',
    lazyRouteComponent(() => import('./pages/training/job-page.js'), 'JobPage'),
  ),
  single(
    '/history/$id',
    'GET /inferences/{id}',
    lazyRouteComponent(() => import('./pages/history/call-page.js'), 'CallPage'),
  ),
  single(
    '/distillable',
    'GET /distillable',
    lazyRouteComponent(() => import('./pages/distillation/distillable-page.js'), 'DistillablePage'),
  ),
  single(
    '/webhooks/$id',
    'GET /webhooks/{id}',
    lazyRouteComponent(() => import('./pages/webhooks/webhook-page.js'), 'WebhookPage'),
  ),
  single(
    '/models/$name',
    'GET /models/{name}',
    lazyRouteComponent(() => import('./pages/models/model-page.js'), 'ModelPage'),
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([...pages, ...singles]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});
