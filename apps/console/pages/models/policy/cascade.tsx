import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Blank, BlankChoice, Rule, Rules } from '../../../components/blank.js';
import { Button } from '../../../components/button.js';
import { written, type Policy } from './numbers.js';

/** Values of a cascade that is set for the first time. */
const USUAL = { target_agreement: 0.95, audit_share: 0.02, teacher_down: 'fail' } as const;

interface Props {
  readonly cascade: Policy['cascade'];
  /** Models that can be asked; undefined: they are not known. */
  readonly teachers: readonly string[] | undefined;
}

/** Fields of the cascade: calls of which a distilled version is not sure go to its teacher. */
export function Cascade({ cascade, teachers }: Props): ReactElement {
  const { target_agreement: target, audit_share: audits, teacher_down: down } = cascade ?? USUAL;
  const was = cascade?.to ?? '';
  const choice = useRef<HTMLSelectElement>(null);
  const [to, setTo] = useState(was);
  const read = (): void => setTo(choice.current!.value);
  // The form may have its earlier input again.
  useEffect(read, []);
  const askNobody = (): void => {
    choice.current!.value = '';
    choice.current!.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const rest = { hidden: to === '' };
  const number = { type: 'number', step: 'any', required: true, disabled: to === '' };
  return (
    <div onInput={read}>
      <Rules title="When the teacher is asked">
        <Rule
          of={['cascade.to']}
          note={
            to !== '' &&
            teachers?.includes(to) === false && (
              <div role="alert" className="wrong">
                <p>{to} is no model here any more. Choose another one, or</p>
                <Button className="sm mt-1" sends="PUT /models/{name}/policy" onClick={askNobody}>
                  Ask no teacher
                </Button>
              </div>
            )
          }
        >
          Where the small model is not sure,{' '}
          <BlankChoice ref={choice} label="Teacher" name="cascade.to" defaultValue={was}>
            <option value="">it answers all the same</option>
            {[...new Set([...(cascade ? [was] : []), ...(teachers ?? [])])].map((id) => (
              <option key={id} value={id}>
                {id} answers
              </option>
            ))}
          </BlankChoice>
        </Rule>
        <Rule of={['cascade.target_agreement']} {...rest}>
          Of its own answers, at least{' '}
          <Blank
            {...{ ...number, label: 'Agreement (percent)', name: 'cascade.target_agreement', min: 50, max: 99.9 }}
            defaultValue={written('cascade.target_agreement', target)}
          />{' '}
          % are the teacher’s too
        </Rule>
        <Rule of={['cascade.audit_share']} {...rest}>
          The teacher is asked for{' '}
          <Blank
            {...{ ...number, label: 'Audited answers (percent)', name: 'cascade.audit_share', min: 0, max: 100 }}
            defaultValue={written('cascade.audit_share', audits)}
          />{' '}
          % of them as well, unseen
        </Rule>
        <Rule of={['cascade.teacher_down']} {...rest}>
          Where the teacher fails,{' '}
          <BlankChoice label="Where the teacher fails" name="cascade.teacher_down" defaultValue={down}>
            <option value="fail">the call fails</option>
            <option value="student">the small model answers</option>
          </BlankChoice>
        </Rule>
      </Rules>
    </div>
  );
}
