import { policyIn, written, type Policy } from './numbers.js';

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const CASCADE: NonNullable<Policy['cascade']> = {
  ...{ to: 'acme/chat', target_agreement: 0.95, audit_share: 0.02, teacher_down: 'fail' },
};
const OF_CASCADE = {
  ...{ 'cascade.to': 'acme/chat', 'cascade.target_agreement': '95' },
  ...{ 'cascade.audit_share': '2', 'cascade.teacher_down': 'fail' },
};

describe('the numbers of a policy', () => {
  it('are written in percent and megabytes without digits that nobody wrote', () => {
    expect(written('max_f1_drop', 0.07)).toBe('7');
    expect(written('rollback_max_error_rate', 0.285)).toBe('28.5');
    expect(written('max_size_bytes', 1_048_576)).toBe('1.048576');
    expect(written('max_runs', null)).toBe('');
  });

  it('are read as they were written, an empty one as none', () => {
    const body = policyIn(
      formOf({ max_f1_drop: '7', max_size_bytes: '1.048576', max_label_drop: '', max_runs: '3' }),
      null,
    );
    expect(body).toMatchObject({ max_f1_drop: 0.07, max_size_bytes: 1_048_576, max_label_drop: null, max_runs: 3 });
  });
});

describe('the cascade of a policy', () => {
  it('is not sent unless it was changed, so that one whose teacher has left the catalog refuses nothing else', () => {
    expect(policyIn(formOf(OF_CASCADE), CASCADE)).not.toHaveProperty('cascade');
    expect(policyIn(formOf({}), CASCADE)).not.toHaveProperty('cascade');
    expect(policyIn(formOf({ 'cascade.to': '' }), null)).not.toHaveProperty('cascade');
  });

  it('is sent whole where a part was changed, and as null where no teacher is to be asked', () => {
    expect(policyIn(formOf({ ...OF_CASCADE, 'cascade.audit_share': '5' }), CASCADE).cascade).toEqual({
      ...CASCADE,
      audit_share: 0.05,
    });
    expect(policyIn(formOf({ 'cascade.to': '' }), CASCADE).cascade).toBeNull();
    expect(policyIn(formOf(OF_CASCADE), null).cascade).toEqual(CASCADE);
  });
});
