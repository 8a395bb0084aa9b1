import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';

/** A page that the navigation and the command palette lead to. Pages of single things are in routes.tsx alone. */
export interface PageEntry {
  readonly path: string;
  readonly title: string;
  /** Other words that people look for. */
  readonly words: string;
  readonly component: RouteComponent;
}

const page = (path: string, title: string, words: string, component: RouteComponent): PageEntry => ({
  path,
  title,
  words,
  component,
});

/** In the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  page(
    '/',
    'Home',
    'start overview',
    lazyRouteComponent(() => import('./pages/home/home-page.js'), 'HomePage'),
  ),
  page(
    '/datasets',
    'Datasets',
    'upload files rows examples versions',
    lazyRouteComponent(() => import('./pages/datasets/datasets-page.js'), 'DatasetsPage'),
  ),
  page(
    '/training',
    'Training',
    'train jobs fine-tune learn',
    lazyRouteComponent(() => import('./pages/training/training-page.js'), 'TrainingPage'),
  ),
  page(
    '/models',
    'Models',
    'names versions promote rollback gate drift',
    lazyRouteComponent(() => import('./pages/models/models-page.js'), 'ModelsPage'),
  ),
  page(
    '/playground',
    'Playground',
    'try text entities labels threshold curl',
    lazyRouteComponent(() => import('./pages/playground/playground-page.js'), 'PlaygroundPage'),
  ),
  page(
    '/review',
    'Review',
    'correct verdict queue doubtful',
    lazyRouteComponent(() => import('./pages/review/review-page.js'), 'ReviewPage'),
  ),
  page(
    '/labelling',
    'Labelling',
    'annotate label spans entities second pass agreement',
    lazyRouteComponent(() => import('./pages/labelling/labelling-page.js'), 'LabellingPage'),
  ),
  page(
    '/history',
    'History',
    'calls inferences records search',
    lazyRouteComponent(() => import('./pages/history/history-page.js'), 'HistoryPage'),
  ),
  page(
    '/log',
    'Log',
    'events stream audit proof checkpoint',
    lazyRouteComponent(() => import('./pages/log/log-page.js'), 'LogPage'),
  ),
  page(
    '/contents',
    'Contents',
    'who read reads access retention days legal hold erase privacy',
    lazyRouteComponent(() => import('./pages/contents/contents-page.js'), 'ContentsPage'),
  ),
  page(
    '/reports',
    'Reports',
    'auditor model card AI act access review incidents verify export proof',
    lazyRouteComponent(() => import('./pages/reports/reports-page.js'), 'ReportsPage'),
  ),
  page(
    '/operate',
    'Operate',
    'health read models lag limits credits account',
    lazyRouteComponent(() => import('./pages/operate/operate-page.js'), 'OperatePage'),
  ),
  page(
    '/keys',
    'API keys',
    'secret token scope',
    lazyRouteComponent(() => import('./pages/keys/keys-page.js'), 'KeysPage'),
  ),
  page(
    '/people',
    'People',
    'members roles invite owner analyst auditor password workspace',
    lazyRouteComponent(() => import('./pages/people/people-page.js'), 'PeoplePage'),
  ),
];
