-- `ends_at` in ms since 1970. Unlogged: a window lost in a crash costs a minute at most.
drop table rate_limit_window;
create unlogged table rate_limit_window (
  subject text primary key,
  points bigint not null,
  ends_at bigint not null
);
create index rate_limit_window_ends on rate_limit_window (ends_at);
