import Boxes from 'lucide-react/icons/boxes';
import Circle from 'lucide-react/icons/circle-dot';
import FileLock from 'lucide-react/icons/file-lock-2';
import Flame from 'lucide-react/icons/flame';
import History from 'lucide-react/icons/history';
import KeyRound from 'lucide-react/icons/key-round';
import ListChecks from 'lucide-react/icons/list-checks';
import Table from 'lucide-react/icons/table-2';
import Users from 'lucide-react/icons/users';
import Webhook from 'lucide-react/icons/webhook';
import type { LucideIcon } from 'lucide-react/types';

/** The menu's icons, by the category of a stream. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  access: FileLock,
  call: History,
  content: History,
  dataset: Table,
  evaluation: Flame,
  feedback: ListChecks,
  job: Flame,
  joblog: Flame,
  key: KeyRound,
  metered: History,
  model: Boxes,
  retention: FileLock,
  session: Users,
  team: Users,
  user: Users,
  webhook: Webhook,
};

/** The icon of what a stream is about. */
export const iconOf = (stream: string): LucideIcon => ICONS[stream.split('-')[0]!] ?? Circle;
