import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Shell } from './components/shell.js';
import { NotFound } from './components/not-found.js';
import { PAGES } from './pages.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const pages = PAGES.map(({ path, component }) => createRoute({ getParentRoute: () => root, path, component }));

/** Pages of single things. */
const model = createRoute({
  getParentRoute: () => root,
  path: '/models/$name',
  component: lazyRouteComponent(() => import('./pages/models/model-page.js'), 'ModelPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([...pages, model]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});
