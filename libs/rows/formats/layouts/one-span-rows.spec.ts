import { processed } from '../reading.fixture.js';

const quoted = 'doc_id,text,entity,label\n1,Ada met Bob,Ada,PER\n1,Ada met Bob,Bob,PER\n2,In Rome,Rome,LOC\n';
const placed = 'text,start,end,label\nAda met Bob,0,3,PER\nAda met Bob,8,11,PER\nIn Rome,3,7,LOC\n';

describe('a table with a row for each span', () => {
  it.each([
    ['their texts', quoted, '"entity"'],
    ['their places', placed, '"start", "end"'],
    ['both, as JSON', '{"text":"Ada met Bob","start":0,"end":3,"label":"PER"}', '"start", "end"'],
  ])('is refused with %s', async (_name, file, columns) => {
    await expect(processed(file)).rejects.toThrow(
      `each row has one span (columns ${columns} and "label"); write a row for each text, with all its spans in a list`,
    );
  });

  it('is one of classes if the request says so, or its columns are no places', async () => {
    const options = { datasetType: 'classification' } as const;
    expect((await processed(quoted, options)).contents?.classLabels).toEqual(['LOC', 'PER']);
    const times = 'text,start,end,label\nhello there,0,1500,greet\nbye,1500,3000,leave\n';
    expect((await processed(times)).contents?.classLabels).toEqual(['greet', 'leave']);
  });
});
