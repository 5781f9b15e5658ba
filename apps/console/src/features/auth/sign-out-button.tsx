import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { signOut } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';

/** Signs out, on pages outside of the frame. Says so if that fails: the user is still signed in then, and can try again. */
export function SignOutButton({ label }: { label: string }) {
  const { t } = useTranslation();
  const leave = useMutation({ mutationFn: signOut });
  return (
    <>
      <button type="button" className="link-button" onClick={() => leave.mutate()}>
        {label}
      </button>
      {leave.error !== null && (
        <div className="error-box" role="alert">
          <strong>{t('shell.signOutFailed')}</strong>
          <p>{getErrorMessage(leave.error, t)}</p>
        </div>
      )}
    </>
  );
}
