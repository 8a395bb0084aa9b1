import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Columns from 'lucide-react/icons/columns-3';
import { useId, useState, type ReactElement, type ReactNode } from 'react';
import { Check } from './field.js';
import { canSort, nextSort, type Column } from './sorting.js';
import type { TableLook } from './use-table-look.js';

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly look: TableLook;
  /** Whether there is anything to sort. */
  readonly canSort: boolean;
  readonly children: ReactNode;
}

/** The head of a column: pressed, it sorts the table upwards, then downwards, then as it was. */
export function Head<Row>({ column, look, canSort: hasOrder, children }: HeadProps<Row>): ReactElement {
  const { head, number } = column;
  const align = number ? 'num' : '';
  if (typeof head !== 'string' || !hasOrder || !canSort(column))
    return (
      <th scope="col" className={align}>
        {head}
        {children}
      </th>
    );
  const direction = look.sort?.head === head ? (look.sort.descending ? 'descending' : 'ascending') : 'none';
  return (
    <th scope="col" className={align} aria-sort={direction}>
      <button
        type="button"
        className="sort"
        title={`Sort by ${head}`}
        onClick={() => look.change({ sort: nextSort(look.sort, head) })}
      >
        {head}
        {direction === 'ascending' && <ArrowUp className="i" />}
        {direction === 'descending' && <ArrowDown className="i" />}
      </button>
    </th>
  );
}

interface ChoiceProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly look: TableLook;
}

/** Which columns of a table are shown; the first one, which names the row, always is. */
export function ColumnChoice({ caption, columns: [, ...columns], look }: ChoiceProps): ReactElement {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const show = (head: string, isShown: boolean): void =>
    look.change({ hidden: isShown ? look.hidden.filter((each) => each !== head) : [...look.hidden, head] });
  return (
    <>
      <button
        type="button"
        className="columns-choice"
        popoverTarget={id}
        title="Columns"
        aria-label={`Columns of: ${caption}`}
      >
        <Columns className="i" />
      </button>
      <div
        id={id}
        popover="auto"
        className="pop column-list"
        onToggle={({ newState }) => setOpen(newState === 'open')}
        role="group"
        aria-label={`Shown columns of: ${caption}`}
      >
        {isOpen &&
          columns.map((head) => (
            <Check
              key={head}
              label={head}
              checked={!look.hidden.includes(head)}
              onChange={(isShown) => show(head, isShown)}
            />
          ))}
      </div>
    </>
  );
}
