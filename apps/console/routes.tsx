import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { Shell } from './components/shell.js';
import { NotFound } from './components/not-found.js';
import { PAGES } from './pages.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const pages = PAGES.map(({ path, component }) => createRoute({ getParentRoute: () => root, path, component }));

const single = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

/** Pages of single things, and that of the components. */
const singles = [
  single(
    '/design',
    lazyRouteComponent(() => import('./pages/design/design-page.js'), 'DesignPage'),
  ),
  single(
    '/datasets/$name/$version',
    lazyRouteComponent(() => import('./pages/datasets/version-page.js'), 'VersionPage'),
  ),
  single(
    '/training/compare',
    lazyRouteComponent(() => import('./pages/training/compare-page.js'), 'ComparePage'),
  ),
  single(
    '/training/$id',
    lazyRouteComponent(() => import('./pages/training/job-page.js'), 'JobPage'),
  ),
  single(
    '/history/$id',
    lazyRouteComponent(() => import('./pages/history/call-page.js'), 'CallPage'),
  ),
  single(
    '/distillable',
    lazyRouteComponent(() => import('./pages/distillation/distillable-page.js'), 'DistillablePage'),
  ),
  single(
    '/models/$name',
    lazyRouteComponent(() => import('./pages/models/model-page.js'), 'ModelPage'),
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([...pages, ...singles]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});
