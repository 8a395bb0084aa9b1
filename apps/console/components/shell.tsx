import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import { useSession } from '../api/session.js';
import { PAGES } from '../pages.js';
import { SignIn } from '../pages/sign-in/sign-in.js';
import { Button } from './button.js';
import { LostBanner } from './lost-banner.js';
import { PastBanner } from './past-banner.js';
import { Palette } from './palette.js';
import { Loaded, Problem } from './states.js';
import { claimTab } from './use-stored.js';
import { ZONE } from './values.js';
import { ThemeSwitch } from './theme-switch.js';
import { Account } from './account.js';

/** The frame of every page. Without a session it shows the sign-in form at the same address. */
export function Shell(): ReactElement {
  const session = useSession();
  if (session.error && !session.data)
    return (
      <main className="mx-auto grid min-h-dvh w-full max-w-xl content-center gap-4 p-4">
        <h1 className="text-xl font-semibold">Anneal</h1>
        <Problem error={session.error} retry={() => void session.refetch()} />
      </main>
    );
  return (
    <>
      <PastBanner />
      <LostBanner />
      <Loaded query={session} rows={8}>
        {(who) => {
          if (!who) return <SignIn />;
          // Before any page reads the tab's storage.
          claimTab(`${who.user_id} ${who.workspace_id}`);
          return <Frame email={who.email ?? who.user_id} />;
        }}
      </Loaded>
    </>
  );
}

function Frame({ email }: { readonly email: string }): ReactElement {
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const address = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setMenuOpen(false), [address]);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] lg:grid-rows-1 lg:grid-cols-[13rem_1fr]">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:bg-panel focus:p-2">
        Skip to the content
      </a>
      <div className="border-line bg-panel max-lg:border-b lg:border-r">
        <div className="top-0 flex flex-col gap-3 p-3 lg:sticky lg:h-dvh">
          <div className="flex items-center justify-between gap-2">
            <div className="min-w-0">
              <Link to="/" className="text-lg font-semibold text-text no-underline">
                Anneal
              </Link>
              <p
                className="truncate text-xs text-muted"
                title={`Times are shown in ${ZONE}, where they do not say UTC`}
              >
                Times in {ZONE}
              </p>
            </div>
            <Button
              className="lg:hidden"
              aria-expanded={menuOpen}
              aria-controls="menu"
              onClick={() => setMenuOpen(!menuOpen)}
            >
              Menu
            </Button>
          </div>
          <div id="menu" className={`min-h-0 flex-1 flex-col gap-3 lg:flex ${menuOpen ? 'flex' : 'hidden'}`}>
            <Button onClick={() => setPaletteOpen(true)} className="justify-between">
              Go to… <kbd className="text-xs text-muted">Ctrl K</kbd>
            </Button>
            <nav aria-label="Pages" className="min-h-0 flex-1 overflow-y-auto">
              <ul className="grid gap-0.5">
                {PAGES.map(({ path, title }) => (
                  <li key={path}>
                    <Link
                      to={path}
                      activeOptions={{ exact: path === '/' }}
                      className="block rounded-md px-2 py-1.5 text-text no-underline hover:bg-raised hover:no-underline"
                      activeProps={{ className: 'bg-raised font-semibold', 'aria-current': 'page' }}
                    >
                      {title}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <ThemeSwitch />
            <Account email={email} />
          </div>
        </div>
      </div>
      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        <Outlet />
      </main>
      <Palette open={paletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  );
}
