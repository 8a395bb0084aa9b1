import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { fillForm } from '../../components/kept-form.js';
import type { Job } from './live-job.js';
import { formKey, NUMBER_NAMES } from './more-settings.js';

/** Opens the form of a training as it was for a job, to be changed. */
export function Again({ job }: { readonly job: Job }): ReactElement {
  const navigate = useNavigate();
  const again = (): void => {
    const [first, ...others] = job.datasets.filter(({ held_out }) => !held_out);
    const heldOut = job.datasets.find(({ held_out }) => held_out)?.name ?? '';
    const settings = NUMBER_NAMES.filter((name) => job.training_type === 'lora' || !name.startsWith('lora_'));
    fillForm(formKey(first?.name), {
      ...{ dataset: first?.name ?? '', held_out: heldOut, name: job.model_name, base: job.base_model },
      ...Object.fromEntries(others.map(({ name }) => [`also ${name}`, true])),
      ...{
        nr_epochs: String(job.nr_epochs),
        training_type: job.training_type,
        lr_scheduler_type: job.lr_scheduler_type,
      },
      ...Object.fromEntries(settings.map((name) => [name, String(job[name])])),
    });
    void navigate({ to: '/training/new', search: { ...(first && { dataset: first.name }) } });
  };
  return <Button onClick={again}>Train again</Button>;
}
