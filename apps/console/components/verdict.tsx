import { useState, type ReactElement, type ReactNode } from 'react';
import { Button } from './button.js';
import { Correction, type Corrected } from './correction.js';
import { hasDraft } from './editor/drafts.js';
import { useCorrectionDraft, type Judged } from './judge.js';
import { VERDICT_BUTTONS, VERDICT_NAMES } from './verdict-buttons.js';

interface Props {
  readonly call: Corrected;
  readonly busy: boolean;
  readonly onJudge: (judged: Judged) => void;
  /** Whether the correction has begun, for pages that begin it themselves. */
  readonly correcting?: boolean;
  readonly onCorrecting?: (correcting: boolean) => void;
  /** More buttons. */
  readonly children?: ReactNode;
}

/** Buttons for the verdict on an answer, and the editor for its correction. */
export function Verdict({ call, busy, onJudge, children, ...open }: Props): ReactElement {
  const draft = useCorrectionDraft(call.id);
  const own = useState(() => hasDraft(draft));
  const correcting = open.correcting ?? own[0];
  const setCorrecting = open.onCorrecting ?? own[1];
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        {VERDICT_NAMES.map((verdict, index) => {
          const { label, corrects } = VERDICT_BUTTONS[verdict];
          return (
            <Button
              key={verdict}
              disabled={busy}
              // While a correction is open, saving it is what the page is about.
              {...(index === 0 && !correcting && { kind: 'main' })}
              {...(corrects && { 'aria-expanded': correcting })}
              onClick={() => (corrects ? setCorrecting(!correcting) : onJudge({ verdict }))}
            >
              {label}
            </Button>
          );
        })}
        {children}
      </div>
      {correcting && <Correction call={call} busy={busy} onSave={onJudge} />}
    </div>
  );
}
