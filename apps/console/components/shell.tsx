import { Link, Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import Menu from 'lucide-react/icons/menu';
import PanelLeft from 'lucide-react/icons/panel-left';
import Search from 'lucide-react/icons/search';
import { useEffect, useState, type ReactElement } from 'react';
import { useMay } from '../api/permitted.js';
import { useSession } from '../api/session.js';
import { SignIn } from '../pages/sign-in/sign-in.js';
import { Account } from './account.js';
import { Button } from './button.js';
import { Logo } from './logo.js';
import { changeLook, lookOf } from './look.js';
import { LostBanner } from './lost-banner.js';
import { PastBanner } from './past-banner.js';
import { Palette } from './palette.js';
import { NotPermitted } from './not-permitted.js';
import { useOffered } from './offered.js';
import { Loaded, Problem } from './states.js';
import { Toasts } from './toasts.js';
import { claimTab } from './use-stored.js';

/** The frame of every page. Without a session it shows the sign-in form at the same address. */
export function Shell(): ReactElement {
  const session = useSession();
  if (session.error && !session.data)
    return (
      <main className="mx-auto grid min-h-dvh w-full max-w-xl content-center gap-4 p-4">
        <h1 className="text-xl">Anneal</h1>
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
  const groups = useOffered();
  const may = useMay();
  const sends = useMatches({ select: (matches) => matches.at(-1)?.staticData.sends });
  const address = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setMenuOpen(false), [address]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setMenuOpen(false);
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setPaletteOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="shell">
      <a href="#content" className="btn sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50">
        Skip to the content
      </a>
      <header className="topbar">
        <Button
          kind="quiet"
          className="icon"
          aria-label="Menu"
          aria-expanded={menuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          <Menu className="i lg" />
        </Button>
        <Link to="/" className="brand">
          <Logo /> Anneal
        </Link>
        <Button kind="quiet" className="icon" aria-label="Search" onClick={() => setPaletteOpen(true)}>
          <Search className="i lg" />
        </Button>
      </header>
      {menuOpen && (
        <button type="button" className="scrim" aria-label="Close the menu" onClick={() => setMenuOpen(false)} />
      )}
      <div id="menu" className={`side ${menuOpen ? 'open' : ''}`}>
        <div className="top">
          <Link to="/" className="brand">
            <Logo /> Anneal
          </Link>
          <Collapse />
        </div>
        <button type="button" className="find" title="Search or jump to (Ctrl K)" onClick={() => setPaletteOpen(true)}>
          <Search className="i" />
          <span>Search or jump to</span> <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Pages">
          {groups.map(({ title, pages }) => (
            <div key={title}>
              {title && <p>{title}</p>}
              {pages.map(({ path, title: page, icon: Icon }) => (
                <Link
                  key={path}
                  to={path}
                  title={page}
                  activeOptions={{ exact: path === '/' }}
                  activeProps={{ 'aria-current': 'page' }}
                >
                  <Icon className="i" /> <span>{page}</span>
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <Account email={email} />
      </div>
      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        {sends === undefined || may(sends) ? <Outlet /> : <NotPermitted />}
      </main>
      <Toasts />
      <Palette open={paletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  );
}

/** On wide screens the menu can be a row of icons, which this browser keeps. */
function Collapse(): ReactElement {
  const [side, setSide] = useState(lookOf('side'));
  const toggle = (): void => {
    const next = side === 'icons' ? 'names' : 'icons';
    changeLook('side', next);
    setSide(next);
  };
  const name = side === 'icons' ? 'Show the names of the pages' : 'Collapse the menu';
  return (
    <Button kind="quiet" className="icon max-[900px]:hidden" aria-label={name} title={name} onClick={toggle}>
      <PanelLeft className="i" />
    </Button>
  );
}
