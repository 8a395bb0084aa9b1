import type { Report, ReportEvent, Statement } from './report.js';

const MARKS: Readonly<Record<Statement['source'], string>> = {
  events: '',
  no_event: ' *(no event up to this position says otherwise)*',
  settings: ' *(from the settings of the running system; not on the log)*',
  not_recorded: '',
};

/** A report as Markdown: each statement with the numbers of its events, which the last section lists. */
export function markdownOf({ title, head, sections }: Report): string {
  const numbers = new Map<string, number>();
  const events: ReportEvent[] = [];
  const numberOf = (event: ReportEvent): number => {
    const known = numbers.get(event.position);
    if (known !== undefined) return known;
    numbers.set(event.position, events.push(event));
    return events.length;
  };
  const body = sections.map(({ title: heading, statements }) => {
    const lines = statements.map(({ text, source, events: of }) => {
      const cites = of.map((event) => `[${numberOf(event)}]`).join('');
      const said = escaped(text);
      return `- ${source === 'not_recorded' ? `**${said}**` : said}${MARKS[source]}${cites && ` ${cites}`}`;
    });
    return `## ${escaped(heading)}\n\n${lines.join('\n')}\n`;
  });
  const { checkpoint, log_id, workspace_id, position, time, since, until } = head;
  const rows = events.map(
    ({ type, stream, revision, id, position: at, time: when }, index) =>
      `| ${index + 1} | ${[at, stream, String(revision), type, id, when].map((each) => escaped(each)).join(' | ')} |`,
  );
  return `# ${escaped(title)}

| made at | |
| --- | --- |
| log | ${log_id ?? 'empty'} |
| workspace | ${workspace_id} |
| position of the log | ${position ?? 'empty'} |
| time of that event | ${time ?? 'none'} |
| head of the audit tree | ${checkpoint ? `${escaped(checkpoint.origin)}, ${checkpoint.size} events, root hash ${checkpoint.root}` : 'none was signed yet'} |
| period of acts | ${since ?? 'the beginning'} to ${until ?? 'that position'} |

Each number in brackets is an event of the list at the end. The same position gives the same statements again.

${body.join('\n')}
## Events

| | position | stream | number | type | id | time |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** Texts of people are shown as they are: they are no markup, and stay on one line. */
const escaped = (text: string): string => text.replace(/[\\`*_<>[\]|#~]/g, '\\$&').replace(/\s+/g, ' ');
