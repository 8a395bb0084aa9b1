import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body, isForbidden } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { momentsOf } from '../../components/moments.js';
import { Panel } from '../../components/page.js';
import { Empty, Problem } from '../../components/states.js';

const KINDS = {
  card: 'Model cards (annex IV of the EU AI Act)',
  logs: 'Logs of calls (articles 12, 19, 26)',
  access: 'Access review',
  incidents: 'Incidents',
} as const;
type Kind = keyof typeof KINDS;
const TIMES = ['since', 'until'] as const;

/** Makes a report, shows it, and gives it as a file. */
export function Report(): ReactElement {
  const make = useMutation({
    mutationFn: async (form: FormData) => {
      const kind = textOf(form, 'kind') as Kind;
      const model = textOf(form, 'model').trim();
      const given = TIMES.filter((name) => textOf(form, name) !== '');
      const times = momentsOf(Object.fromEntries(given.map((name): [string, string] => [name, textOf(form, name)])));
      const query = { kind, ...(model !== '' && { model }), ...times };
      const markdown = await body<string>(
        api.GET('/audit/report', { params: { query: { ...query, format: 'markdown' } }, parseAs: 'text' }),
      );
      return { kind, markdown };
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    make.mutate(new FormData(event.currentTarget));
  };
  return (
    <Panel title="Report">
      <div className="grid gap-4">
        <form onSubmit={submit} className="grid gap-4">
          <div className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-[2fr_1fr_1fr_1fr]">
            <Select label="About" name="kind">
              {Object.entries(KINDS).map(([kind, title]) => (
                <option key={kind} value={kind}>
                  {title}
                </option>
              ))}
            </Select>
            <Input label="Model" name="model" placeholder="tickets@2" hint="For model cards. Left empty: all." />
            <Input label="Since" name="since" type="datetime-local" />
            <Input label="Until" name="until" type="datetime-local" />
          </div>
          <div>
            <Button kind="main" type="submit" disabled={make.isPending}>
              Make the report
            </Button>
          </div>
        </form>
        {isForbidden(make.error) ? (
          <Empty>Your role does not let you read the log: an owner or an auditor may.</Empty>
        ) : (
          <Problem error={make.error} />
        )}
        {make.data && <Made {...make.data} />}
      </div>
    </Panel>
  );
}

function Made({ kind, markdown }: { readonly kind: Kind; readonly markdown: string }): ReactElement {
  if (markdown === '') return <Empty>There is nothing to report: the workspace has no model.</Empty>;
  const save = (): void => {
    const address = URL.createObjectURL(new Blob([markdown], { type: 'text/markdown' }));
    const link = Object.assign(document.createElement('a'), { href: address, download: `${kind}.md` });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <>
      <div>
        <Button onClick={save}>Save as Markdown</Button>
      </div>
      <pre tabIndex={0} aria-label="Report" className="code max-h-[70vh] text-xs whitespace-pre-wrap">
        {markdown}
      </pre>
    </>
  );
}
