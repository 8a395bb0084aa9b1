import type { ReactElement } from 'react';
import { Blank, BlankChoice, Rule, Rules } from '../../../components/blank.js';
import { DEFAULTS, written, type NumberName, type Policy } from './numbers.js';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Name = Exclude<NumberName, `cascade.${string}`>;

interface NumberProps {
  readonly policy: Policy | null;
  readonly name: Name;
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
  /** Placeholder: the value or rule in force while the field is empty. */
  readonly empty: string;
}

/** A number of the policy; without a policy, the default that holds. */
const Amount = ({ policy, name, label, empty, ...bounds }: NumberProps): ReactElement => (
  <Blank
    {...{ label, name, type: 'number', step: 'any', placeholder: empty, ...bounds }}
    defaultValue={written(name, policy ? policy[name] : (DEFAULTS as Partial<Record<Name, number>>)[name])}
  />
);

interface Props {
  /** null: none was set, and the defaults hold. */
  readonly policy: Policy | null;
}

/** Rules for a new version: used at once or kept as a candidate, by which evidence. */
export const Outcome = ({ policy }: Props): ReactElement => (
  <Rules title="What happens">
    <Rule of={['on_pass']}>
      A version that passes the gate{' '}
      <BlankChoice label="A version that passes" name="on_pass" defaultValue={policy?.on_pass}>
        <option value="candidate">waits as the candidate</option>
        <option value="promote">is put in use</option>
      </BlankChoice>
    </Rule>
    <Rule of={['evidence']}>
      The gate{' '}
      <BlankChoice label="Evidence" name="evidence" defaultValue={policy?.evidence}>
        <option value="worse">refuses what is shown to be worse</option>
        <option value="not_worse">takes only what is shown not to be worse</option>
      </BlankChoice>
    </Rule>
    <Rule of={['refused_corrections']}>
      Corrections that a refused version learned{' '}
      <BlankChoice
        label="Corrections of a refused version"
        name="refused_corrections"
        defaultValue={policy?.refused_corrections}
      >
        <option value="again">are learned again</option>
        <option value="left_out">are left out</option>
      </BlankChoice>
    </Rule>
  </Rules>
);

/** When versions are made without being asked for. */
export const Triggers = ({ policy }: Props): ReactElement => (
  <Rules title="When it improves by itself">
    <Rule of={['improve_after_corrections']}>
      After{' '}
      <Amount {...{ policy, name: 'improve_after_corrections', label: 'After corrections', min: 1, empty: 'never' }} />{' '}
      new corrections
    </Rule>
    <Rule of={['weekly_on', 'weekly_hour']}>
      Every{' '}
      <BlankChoice label="Every week on" name="weekly_on" defaultValue={policy?.weekly_on ?? ''}>
        <option value="">no day</option>
        {DAYS.map((day) => (
          <option key={day} value={day.toLowerCase()}>
            {day}
          </option>
        ))}
      </BlankChoice>{' '}
      at <Amount {...{ policy, name: 'weekly_hour', label: 'Weekly at (hour, UTC)', min: 0, max: 23, empty: '0' }} />{' '}
      o’clock UTC
    </Rule>
    <Rule of={['max_runs', 'max_runs_days']}>
      At most{' '}
      <Amount {...{ policy, name: 'max_runs', label: 'Improvements at most', min: 1, max: 1_000, empty: 'any' }} />{' '}
      times in <Amount {...{ policy, name: 'max_runs_days', label: 'Within (days)', min: 1, max: 366, empty: '7' }} />{' '}
      days
    </Rule>
  </Rules>
);

/** What a new version has to show. */
export const Gate = ({ policy }: Props): ReactElement => (
  <Rules title="What the gate asks for">
    <Rule of={['max_f1_drop', 'min_rows']}>
      F1 falls by at most{' '}
      <Amount {...{ policy, name: 'max_f1_drop', label: 'F1 may fall by (points)', min: 0, max: 100, empty: '1' }} />{' '}
      points, on at least{' '}
      <Amount {...{ policy, name: 'min_rows', label: 'Regression rows needed', min: 1, empty: '10' }} /> rows
    </Rule>
    <Rule of={['max_label_drop', 'min_label_rows']}>
      That of a label falls by at most{' '}
      <Amount
        {...{ policy, name: 'max_label_drop', label: 'F1 of a label may fall by (points)', min: 0, max: 100 }}
        empty="any"
      />{' '}
      points, where it has{' '}
      <Amount {...{ policy, name: 'min_label_rows', label: 'Rows of a judged label', min: 1, empty: '10' }} /> rows
    </Rule>
    <li>
      <details>
        <summary>Corrections, another dataset, speed and size</summary>
        <ul className="rules">
          <Rule of={['min_corrections']}>
            At least{' '}
            <Amount {...{ policy, name: 'min_corrections', label: 'Corrections held out', min: 0, empty: '0' }} />{' '}
            corrections are held out
          </Rule>
          <Rule of={['regression_dataset', 'regression_version']}>
            Both versions are compared on{' '}
            <Blank
              label="Regression dataset"
              name="regression_dataset"
              maxLength={128}
              placeholder="no other dataset"
              defaultValue={policy?.regression_dataset ?? ''}
            />{' '}
            version{' '}
            <Blank
              label="Version of the regression dataset"
              name="regression_version"
              placeholder="latest"
              defaultValue={policy?.regression_version ?? ''}
            />{' '}
            too
          </Rule>
          <Rule of={['max_latency_ms']}>
            Half of the calls take at most{' '}
            <Amount {...{ policy, name: 'max_latency_ms', label: 'Median latency (ms)', min: 0, empty: 'any' }} /> ms
          </Rule>
          <Rule of={['max_size_bytes']}>
            The model has at most{' '}
            <Amount {...{ policy, name: 'max_size_bytes', label: 'Model size (MB)', min: 0, empty: 'any' }} /> MB
          </Rule>
        </ul>
      </details>
    </li>
  </Rules>
);

/** What is watched of a version in use. */
export const Watch = ({ policy }: Props): ReactElement => (
  <Rules title="When the version before comes back">
    <Rule of={['rollback_max_error_rate']}>
      More than{' '}
      <Amount
        {...{ policy, name: 'rollback_max_error_rate', label: 'Failed calls (percent)', min: 0, max: 100 }}
        empty="off"
      />{' '}
      % of calls fail
    </Rule>
    <Rule of={['rollback_max_disagreement']}>
      More than{' '}
      <Amount
        {...{ policy, name: 'rollback_max_disagreement', label: 'Corrected answers (percent)', min: 0, max: 100 }}
        empty="off"
      />{' '}
      % of reviewed answers are wrong
    </Rule>
    <Rule of={['rollback_window_hours', 'rollback_min_calls']}>
      Within{' '}
      <Amount
        {...{ policy, name: 'rollback_window_hours', label: 'Within (hours)', min: 1, max: 8_760, empty: '24' }}
      />{' '}
      hours, after <Amount {...{ policy, name: 'rollback_min_calls', label: 'Calls at least', min: 1, empty: '20' }} />{' '}
      calls
    </Rule>
    <Rule of={['drift_psi']}>
      Drift is told from index{' '}
      <Amount {...{ policy, name: 'drift_psi', label: 'Tell of drift from', min: 0, max: 100, empty: 'off' }} />{' '}
      <span className="text-muted">(usual: 0.25)</span>
    </Rule>
  </Rules>
);
