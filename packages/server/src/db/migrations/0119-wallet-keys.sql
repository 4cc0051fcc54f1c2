-- All keys of a wallet's tables hold the wallet, and none of them refers to a table with another key.
alter table history_sync drop constraint history_sync_account_id_fkey;
alter table account_snapshot drop constraint account_snapshot_snapshot_id_fkey;
alter table wallet_snapshot drop constraint wallet_snapshot_account_id_fkey, drop constraint wallet_snapshot_pkey,
  add primary key (address, id);
alter table history_change drop constraint history_change_pkey, add primary key (wallet, id);
drop index history_change_of_wallet;
