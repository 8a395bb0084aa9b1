import type { CreateService } from '#primitives/thread/service.js';
import { LogDamagedError } from '../port.js';
import type { CheckedPage, Damage } from './checked-page.js';
import { LogPages } from './pages.js';
import { fromPosition, toPosition } from './position.js';

const PAGE = 500;

/** Checks the log of a folder page by page, in a thread of its own. Method: `page(after)`. */
export const createService: CreateService<{ readonly directory: string }> = ({ directory }) => {
  const pages = new LogPages(directory);
  return {
    handle(_method, [after]): CheckedPage {
      try {
        const page = checkPage(pages, after as number);
        if (!page.last) return page;
        const structure = pages.structure().map((problem) => ({ position: null, problem }));
        return { ...page, damage: [...page.damage, ...structure] };
      } catch (error) {
        if (!(error instanceof LogDamagedError)) throw error;
        // The end of the log is unknown.
        const { position, problem } = error;
        const next = after as number;
        return { damage: [{ position, problem }], next, head: next, events: 0, unchecked: 0, last: true };
      }
    },
    close: () => pages.close(),
  };
};

/** A page that cannot be read whole is read event by event; if that fails too, the check continues after it. */
function checkPage(pages: LogPages, after: number): CheckedPage {
  const head = pages.head();
  const whole = attempt(pages, after, PAGE);
  if ('events' in whole) return { ...whole, head };
  const damage: Damage[] = [];
  let [next, events, unchecked] = [after, 0, 0];
  let last = false;
  for (let skip = 1; !last && next < after + PAGE;) {
    const one = attempt(pages, next, 1);
    if ('events' in one) {
      [events, unchecked, last] = [events + one.events, unchecked + one.unchecked, one.last];
      damage.push(...one.damage);
      next = one.next;
      skip = 1;
    } else if (one.position !== null) {
      if (damage.at(-1)?.position !== one.position) damage.push(one);
      const position = fromPosition(one.position);
      // A damaged position may have any value.
      next = position > head ? next + 1 : Math.max(next + 1, position);
      last = next >= head;
      events += 1;
      skip = 1;
    } else {
      damage.push({ position: toPosition(next + 1), problem: `from here on for ${skip}: ${one.problem}` });
      next += skip;
      skip *= 2;
      last = next >= head;
    }
  }
  return { damage, next, head, events, unchecked, last };
}

type Attempt = Omit<CheckedPage, 'head'> | Damage;

function attempt(pages: LogPages, after: number, limit: number): Attempt {
  try {
    return pages.checkedPage(after, limit);
  } catch (error) {
    if (!(error instanceof LogDamagedError)) throw error;
    return { position: error.position, problem: error.problem };
  }
}
