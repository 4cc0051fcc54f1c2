import type { DeploymentRow } from '../adapter.ts'

/** Source: Sky's on-chain list of its contracts (ChainLog). */
export const lockstakeRows: readonly DeploymentRow[] = [
  {
    key: 'sky_staking',
    name: 'Sky Staking',
    chain: 'ethereum',
    siteUrl: 'https://sky.money',
    deployment: {
      engines: [
        {
          address: '0xce01c90de7fd1bcfa39e237fe6d8d9f569e8a6a3',
          token: '0x56072c95faa701256059aa122697b133aded9279', // SKY
          farms: [
            '0x38e4254bd82ed5ee97cd1c4278faae748d998865', // USDS
            '0x99cbc0e4e6427f6939536ed24d1275b95ff77404', // SPK
            '0xb44c2fb4181d7cb06bdff34a46fdfe4a259b40fc', // SKY
          ],
        },
        {
          // Closed to new positions.
          address: '0x2b16c07d5fd5cc701a0a871eae2aad6da5fc8f12',
          token: '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2', // MKR
          alsoTaken: '0x56072c95faa701256059aa122697b133aded9279',
          farms: ['0x92282235a39be957ff1f37619fd22a9ae5507cb1'], // USDS
        },
      ],
      lent: '0xdc035d45d973e3ec169d2276ddab16f1e407384f', // USDS
    },
  },
]
