import { useNavigate } from '@tanstack/react-router';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import type { PageEntry } from '../pages.js';
import { Dialog } from './dialog.js';
import { useOffered } from './offered.js';

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Finds a page by its title or by other words for it: arrows choose, Enter goes there. */
export const Palette = ({ open, onClose }: Props): ReactElement => (
  <Dialog title="Go to" open={open} onClose={onClose}>
    <Search onClose={onClose} />
  </Dialog>
);

function Search({ onClose }: Pick<Props, 'onClose'>): ReactElement {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useOffered()
    .flatMap(({ pages }) => pages)
    .filter((page) => matches(page, text));
  const go = (page: PageEntry | undefined): void => {
    if (!page) return;
    onClose();
    void navigate({ to: page.path });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((at) => (at + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter') go(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <div className="grid gap-2">
      <input
        autoFocus
        role="combobox"
        aria-label="Page"
        aria-expanded
        aria-controls="found-pages"
        aria-activedescendant={found[chosen] && `page-${chosen}`}
        className="input"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="found-pages" role="listbox" aria-label="Pages" className="grid max-h-80 overflow-y-auto">
        {found.map((page, index) => (
          <li
            key={page.path}
            id={`page-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={`flex cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1.5 ${index === chosen ? 'bg-active' : ''}`}
            onMouseMove={() => setChosen(index)}
            onClick={() => go(page)}
          >
            <page.icon className="i text-muted" />
            {page.title}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="text-muted">No page is called that.</p>}
    </div>
  );
}

const matches = ({ title, words }: PageEntry, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${title} ${words}`.toLowerCase().includes(word));
