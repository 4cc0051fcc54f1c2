import type { SessionView } from '../api/types.ts'
import { t } from '../lib/i18n.ts'

/** `folder` is the screen's in screens/; items without a screen are hidden. */
type NavigationItem = { folder: string; title: string; path: string }
type NavigationSection = { title: string; items: NavigationItem[] }

export function navigationOf(session: SessionView, account: string | undefined): NavigationSection[] {
  const sections = [...(account === undefined ? [] : accountSections(`/a/${account}`)), ownSection()]
  return session.user.isOperator ? [...sections, operatorSection()] : sections
}

function accountSections(base: string): NavigationSection[] {
  const item = (folder: string, title: string): NavigationItem => ({ folder, title, path: `${base}/${folder}` })
  return [
    {
      title: t('Portfolio'),
      items: [
        item('overview', t('Overview')),
        item('portfolio', t('Holdings')),
        item('transactions', t('Transactions')),
        item('pnl', t('Profit and loss')),
        item('snapshots', t('Snapshots')),
      ],
    },
    { title: t('Risk'), items: [item('approvals', t('Approvals')), item('airdrops', t('Airdrops'))] },
    { title: t('Staking'), items: [item('validators', t('Validators'))] },
    {
      title: t('Data'),
      items: [item('address-book', t('Address book')), item('virtual-users', t('Virtual users'))],
    },
    {
      title: t('Developer'),
      items: [item('keys', t('API keys')), item('webhooks', t('Webhooks')), item('usage', t('Usage and credits'))],
    },
    { title: t('Account'), items: [item('members', t('Members')), item('audit', t('Audit log'))] },
  ]
}

const ownSection = (): NavigationSection => ({
  title: t('You'),
  items: [{ folder: 'me', title: t('Security and sessions'), path: '/me' }],
})

const operatorSection = (): NavigationSection => ({
  title: t('Operator'),
  items: [{ folder: 'operator', title: t('Admin'), path: '/operator' }],
})
