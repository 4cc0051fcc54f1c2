-- Whole histories that may be followed. `due_at`: of the next search; a claim moves it on, and a failure delays it.
drop table history_follow;
create table history_follow (
  chain text not null,
  wallet text not null,
  due_at timestamptz not null,
  primary key (chain, wallet)
);
insert into history_follow (chain, wallet, due_at)
select state.chain, state.wallet, coalesce(aside.retry_at, now())
from history_state as state left join history_set_aside as aside
  on aside.chain = state.chain and aside.wallet = state.wallet and aside.step = 'search';
create index history_follow_due on history_follow (chain, due_at, wallet);

create index address_book_entry_of_address on address_book_entry (address);
