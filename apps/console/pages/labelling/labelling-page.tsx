import { useState, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Page } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters, type Filters } from '../../components/use-filters.js';
import { Choose } from './choose.js';
import { Compare } from './compare.js';
import { Paste } from './paste.js';
import { Session } from './session.js';
import { Start } from './start.js';
import { useRows } from './use-rows.js';

/** The rows of a dataset version, one at a time, for a person to label. */
export function LabellingPage(): ReactElement {
  const [filters, change] = useFilters();
  const { dataset = '', version = '', second = '', pass = '' } = filters;
  const rows = useRows(dataset, version);
  const [choosing, setChoosing] = useState(false);
  const isChosen = dataset !== '' && version !== '';
  return (
    <Page
      title="Labelling"
      shape="columns"
      intro={chosenIn(filters)}
      actions={
        <>
          {isChosen && <Button onClick={() => setChoosing(true)}>Other rows</Button>}
          <Paste onUploaded={(name, made) => change({ dataset: name, version: made, row: '', second: '', pass: '' })} />
        </>
      }
    >
      {!isChosen ? (
        <Start />
      ) : (
        <Loaded query={rows} rows={8}>
          {(list) =>
            list.length === 0 ? (
              <Empty>This version has no rows.</Empty>
            ) : second !== '' ? (
              <Compare rows={list} filters={filters} onChange={change} />
            ) : (
              <Session key={`${dataset} ${version} ${pass}`} rows={list} filters={filters} onChange={change} />
            )
          }
        </Loaded>
      )}
      <Dialog title="Which rows?" open={choosing} onClose={() => setChoosing(false)}>
        <Choose filters={filters} onChange={change} />
        <div>
          <Button kind="main" onClick={() => setChoosing(false)}>
            Go on
          </Button>
        </div>
      </Dialog>
    </Page>
  );
}

/** A sentence that names the choices in the address. */
function chosenIn({ dataset = '', version = '', second = '', pass = '' }: Filters): string {
  const kept = 'Your labels stay in this browser until you save them.';
  if (dataset === '' || version === '') return `Goes through the rows of a dataset, one at a time. ${kept}`;
  if (second !== '') return `Rows of ${dataset}/${version}, compared with ${second}.`;
  if (pass === 'blind') return `Rows of ${dataset}/${version} once more, without their labels. ${kept}`;
  return `Rows of ${dataset}/${version}, which begin with their labels. ${kept}`;
}
