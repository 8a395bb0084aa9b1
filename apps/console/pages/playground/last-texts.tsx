import type { ReactElement } from 'react';

/** Characters of a text that its button shows. */
const SHOWN = 80;

interface Props {
  readonly texts: readonly string[];
  readonly onChoose: (text: string) => void;
}

/** The texts that were asked about last in this tab, to ask about them again. */
export const LastTexts = ({ texts, onChoose }: Props): ReactElement | null =>
  texts.length === 0 ? null : (
    <details>
      <summary>Your last texts in this tab</summary>
      <ul aria-label="Last texts" className="mt-2 grid gap-1">
        {texts.map((text) => (
          <li key={text} className="min-w-0">
            <button type="button" className="chip max-w-full" onClick={() => onChoose(text)}>
              <span className="truncate">{text.slice(0, SHOWN)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
