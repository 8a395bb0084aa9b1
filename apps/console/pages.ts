import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import Activity from 'lucide-react/icons/activity';
import Boxes from 'lucide-react/icons/boxes';
import FileCheck from 'lucide-react/icons/file-check-2';
import FileLock from 'lucide-react/icons/file-lock-2';
import Flame from 'lucide-react/icons/flame';
import Highlighter from 'lucide-react/icons/highlighter';
import Files from 'lucide-react/icons/files';
import History from 'lucide-react/icons/history';
import House from 'lucide-react/icons/house';
import KeyRound from 'lucide-react/icons/key-round';
import ListChecks from 'lucide-react/icons/list-checks';
import ScrollText from 'lucide-react/icons/scroll-text';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Table from 'lucide-react/icons/table-2';
import Settings from 'lucide-react/icons/settings-2';
import Users from 'lucide-react/icons/users';
import Webhook from 'lucide-react/icons/webhook';
import type { LucideIcon } from 'lucide-react/types';
import type { Route } from './api/permitted.js';

/** A page that the navigation and the command palette lead to. Pages of single things are in routes.tsx alone. */
export interface PageEntry {
  readonly path: string;
  readonly title: string;
  readonly icon: LucideIcon;
  /** Other words that people look for. */
  readonly words: string;
  /** What the page is for; people whose role does not permit it are not led here. */
  readonly sends: Route;
  readonly component: RouteComponent;
}

const page = (
  path: string,
  title: string,
  icon: LucideIcon,
  words: string,
  sends: Route,
  component: RouteComponent,
): PageEntry => ({ path, title, icon, words, sends, component });

export interface Group {
  /** Heading in the menu; the first group has none. */
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

/** In the order of the menu. */
export const GROUPS: readonly Group[] = [
  {
    title: '',
    pages: [
      page(
        '/',
        'Home',
        House,
        'start overview',
        'GET /inferences',
        lazyRouteComponent(() => import('./pages/home/home-page.js'), 'HomePage'),
      ),
    ],
  },
  {
    title: 'Build',
    pages: [
      page(
        '/datasets',
        'Datasets',
        Table,
        'upload files rows examples versions',
        'GET /felix/datasets',
        lazyRouteComponent(() => import('./pages/datasets/datasets-page.js'), 'DatasetsPage'),
      ),
      page(
        '/labelling',
        'Labelling',
        Highlighter,
        'annotate label spans entities second pass agreement',
        'POST /felix/datasets/upload/process',
        lazyRouteComponent(() => import('./pages/labelling/labelling-page.js'), 'LabellingPage'),
      ),
      page(
        '/training',
        'Training',
        Flame,
        'train jobs fine-tune learn',
        'GET /felix/training-jobs',
        lazyRouteComponent(() => import('./pages/training/training-page.js'), 'TrainingPage'),
      ),
      page(
        '/models',
        'Models',
        Boxes,
        'names versions promote rollback gate drift',
        'GET /models',
        lazyRouteComponent(() => import('./pages/models/models-page.js'), 'ModelsPage'),
      ),
    ],
  },
  {
    title: 'Use',
    pages: [
      page(
        '/playground',
        'Playground',
        SquareTerminal,
        'try text entities labels threshold curl',
        'POST /inference',
        lazyRouteComponent(() => import('./pages/playground/playground-page.js'), 'PlaygroundPage'),
      ),
      page(
        '/review',
        'Review',
        ListChecks,
        'correct verdict queue doubtful',
        'POST /inferences/{id}/feedback',
        lazyRouteComponent(() => import('./pages/review/review-page.js'), 'ReviewPage'),
      ),
      page(
        '/history',
        'History',
        History,
        'calls inferences records search',
        'GET /inferences',
        lazyRouteComponent(() => import('./pages/history/history-page.js'), 'HistoryPage'),
      ),
      page(
        '/batches',
        'Batches',
        Files,
        'file requests background answers jsonl many texts',
        'GET /v1/batches',
        lazyRouteComponent(() => import('./pages/batches/batches-page.js'), 'BatchesPage'),
      ),
    ],
  },
  {
    title: 'Prove',
    pages: [
      page(
        '/log',
        'Log',
        ScrollText,
        'events stream audit proof checkpoint',
        'GET /events/log',
        lazyRouteComponent(() => import('./pages/log/log-page.js'), 'LogPage'),
      ),
      page(
        '/contents',
        'Contents',
        FileLock,
        'who read reads access retention legal hold erase erasure certificate privacy subject',
        'GET /account/retention',
        lazyRouteComponent(() => import('./pages/contents/contents-page.js'), 'ContentsPage'),
      ),
      page(
        '/reports',
        'Reports',
        FileCheck,
        'auditor model card AI act access review incidents verify export proof',
        'GET /incidents',
        lazyRouteComponent(() => import('./pages/reports/reports-page.js'), 'ReportsPage'),
      ),
    ],
  },
  {
    title: 'Run',
    pages: [
      page(
        '/operate',
        'Operate',
        Activity,
        'health read models lag queue runners bill ledger',
        'GET /account',
        lazyRouteComponent(() => import('./pages/operate/operate-page.js'), 'OperatePage'),
      ),
      page(
        '/settings',
        'Settings',
        Settings,
        'workspace two people retention days limits budget credits account data use analysts',
        'GET /workspace',
        lazyRouteComponent(() => import('./pages/settings/settings-page.js'), 'SettingsPage'),
      ),
      page(
        '/webhooks',
        'Webhooks',
        Webhook,
        'messages events deliveries post address secret',
        'GET /webhooks',
        lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.js'), 'WebhooksPage'),
      ),
      page(
        '/people',
        'People',
        Users,
        'members roles invite owner analyst auditor password workspace',
        'POST /auth/password',
        lazyRouteComponent(() => import('./pages/people/people-page.js'), 'PeoplePage'),
      ),
      page(
        '/keys',
        'API keys',
        KeyRound,
        'secret token scope',
        'GET /list-api-keys',
        lazyRouteComponent(() => import('./pages/keys/keys-page.js'), 'KeysPage'),
      ),
    ],
  },
];

export const PAGES: readonly PageEntry[] = GROUPS.flatMap(({ pages }) => pages);
