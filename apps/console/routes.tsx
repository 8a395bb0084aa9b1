import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { Shell } from './components/shell.js';
import { NotFound } from './components/not-found.js';
import { PAGES } from './pages.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const pages = PAGES.map(({ path, component }) => createRoute({ getParentRoute: () => root, path, component }));

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});
