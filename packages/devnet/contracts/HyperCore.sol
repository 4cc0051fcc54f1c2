// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/**
 * A HyperCore of ours: tokens, perpetuals and accounts, with the answers that Hyperliquid's read precompiles give about
 * them. Money of perpetuals has 6 digits; a price has 6 less the digits of sizes. What a precompile refuses reverts here.
 */
contract HyperCore {
    struct TokenFacts {
        string name;
        uint64[] spots;
        uint64 deployerFeeShare;
        address deployer;
        address evmContract;
        uint8 sizeDecimals;
        uint8 weiDecimals;
        int8 extraDecimals;
    }

    struct PerpFacts {
        string coin;
        uint32 marginTable;
        uint8 sizeDecimals;
        uint8 maxLeverage;
        bool onlyIsolated;
    }

    struct Position {
        int64 size;
        uint64 entryNotional;
        int64 isolatedUsd;
        uint32 leverage;
        bool isIsolated;
    }

    struct Summary {
        int64 value;
        uint64 used;
        uint64 notional;
        int64 rawUsd;
    }

    struct Delegation {
        address validator;
        uint64 amount;
        uint64 lockedUntil;
    }

    struct Words {
        uint64 a;
        uint64 b;
        uint64 c;
        uint64 d;
    }

    uint64 private constant USDC = 0;
    uint64 private constant PERP_UNIT = 100;
    uint32 private constant PERPS = 10_000;

    TokenFacts[] private tokens;
    mapping(uint32 => PerpFacts) private perps;
    mapping(uint32 => uint64) private marks;
    mapping(uint32 => uint64) private oracles;
    /// By the number of the exchange: how many perpetuals it has.
    uint32[] private sizes;
    mapping(address => bool) private isVault;

    mapping(address => bool) private users;
    /// All money of a unified account, what its perpetuals have won or lost left out, lies as spot USDC.
    mapping(address => bool) private isUnified;
    /// total, hold for orders.
    mapping(address => mapping(uint64 => Words)) private spot;
    mapping(address => mapping(uint32 => int64)) private cash;
    mapping(address => mapping(uint32 => Position)) private positions;
    mapping(address => mapping(address => Words)) private shares;
    mapping(address => Delegation[]) private delegations;
    mapping(address => Words) private stakes;
    mapping(address => mapping(uint64 => Words)) private loans;
    mapping(uint160 => bool) private isRefusing;

    function addToken(string calldata name, address evmContract, uint8 weiDecimals, int8 extraDecimals) external {
        tokens.push(TokenFacts(name, new uint64[](2), 0, msg.sender, evmContract, 2, weiDecimals, extraDecimals));
    }

    function addDex() external {
        sizes.push(0);
    }

    function addPerp(uint32 dex, string calldata coin, uint8 sizeDecimals, uint32 marginTable, uint64 mark) external {
        uint32 id = dex * PERPS + sizes[dex]++;
        perps[id] = PerpFacts(coin, marginTable, sizeDecimals, 10, false);
        marks[id] = mark;
    }

    function addVault(address vault) external {
        isVault[vault] = true;
    }

    function setMark(uint32 id, uint64 mark) external {
        marks[id] = mark;
    }

    function setOracle(uint32 id, uint64 price) external {
        oracles[id] = price;
    }

    function join(address user, bool unified) external {
        users[user] = true;
        isUnified[user] = unified;
    }

    function setSpot(address user, uint64 token, uint64 total, uint64 hold) external {
        spot[user][token] = Words(total, hold, 0, 0);
    }

    function setCash(address user, uint32 dex, int64 amount) external {
        cash[user][dex] = amount;
    }

    /// At the mark price. margin: of an isolated position, which takes it out of the account's cash. A unified account has none.
    function open(address user, uint32 id, int64 size, uint32 leverage, bool isolated, int64 margin) external {
        int64 notional = size * int64(marks[id]);
        uint64 entry = uint64(notional < 0 ? -notional : notional);
        positions[user][id] = Position(size, entry, isolated ? margin - notional : int64(0), leverage, isolated);
        if (isolated) cash[user][id / PERPS] -= margin;
    }

    function setShare(address user, address vault, uint64 equity, uint64 lockedUntil) external {
        shares[user][vault] = Words(equity, lockedUntil, 0, 0);
    }

    function delegate(address user, address validator, uint64 amount, uint64 lockedUntil) external {
        delegations[user].push(Delegation(validator, amount, lockedUntil));
        stakes[user].a += amount;
    }

    function setStake(address user, uint64 undelegated, uint64 pending, uint64 withdrawals) external {
        (stakes[user].b, stakes[user].c, stakes[user].d) = (undelegated, pending, withdrawals);
    }

    function setLoan(address user, uint64 token, uint64 owed, uint64 supplied) external {
        loans[user][token] = Words(owed, owed, supplied, supplied);
    }

    function refuse(uint160 precompile, bool refuses) external {
        isRefusing[precompile] = refuses;
    }

    function answer(uint160 precompile, bytes calldata input) external view returns (bytes memory) {
        require(!isRefusing[precompile]);
        if (precompile == 0x80a) return perpFacts(abi.decode(input, (uint32)));
        if (precompile == 0x806) return priceOf(marks, abi.decode(input, (uint32)));
        if (precompile == 0x807) return priceOf(oracles, abi.decode(input, (uint32)));
        if (precompile == 0x80c) return tokenFacts(abi.decode(input, (uint64)));
        if (precompile == 0x80f) return summaryAnswer(input);
        return ofUser(precompile, abi.decode(input, (address)), input);
    }

    function ofUser(uint160 precompile, address user, bytes calldata input) private view returns (bytes memory) {
        if (precompile == 0x810) return abi.encode(users[user]);
        if (precompile == 0x804) return abi.encode(delegations[user]);
        if (precompile == 0x805) return abi.encode(stakes[user]);
        if (precompile == 0x801) return spotAnswer(user, input);
        if (precompile == 0x802) return shareAnswer(user, input);
        if (precompile == 0x811) return loanAnswer(user, input);
        require(precompile == 0x813);
        (, uint32 id) = abi.decode(input, (address, uint32));
        requirePerp(id);
        return abi.encode(positions[user][id]);
    }

    function perpFacts(uint32 id) private view returns (bytes memory) {
        requirePerp(id);
        return abi.encode(perps[id]);
    }

    function priceOf(mapping(uint32 => uint64) storage prices, uint32 id) private view returns (bytes memory) {
        requirePerp(id);
        return abi.encode(prices[id]);
    }

    function tokenFacts(uint64 token) private view returns (bytes memory) {
        require(token < tokens.length);
        return abi.encode(tokens[token]);
    }

    /// Of a unified account: with what its perpetuals have won, and with what backs them held.
    function spotAnswer(address user, bytes calldata input) private view returns (bytes memory) {
        (, uint64 token) = abi.decode(input, (address, uint64));
        require(token < tokens.length);
        Words memory kept = spot[user][token];
        if (!isUnified[user] || token != USDC) return abi.encode(kept.a, kept.b, uint64(0));
        int64 won = 0;
        uint64 used = 0;
        for (uint32 dex = 0; dex < sizes.length; dex++) {
            Summary memory account = summaryOf(user, dex);
            used += account.used;
            won += account.value;
        }
        int64 total = int64(kept.a) + won * int64(PERP_UNIT);
        return abi.encode(uint64(total), kept.b + used * PERP_UNIT, uint64(0));
    }

    /// A unified account keeps at an exchange what backs positions, and no more.
    function summaryAnswer(bytes calldata input) private view returns (bytes memory) {
        (uint32 dex, address user) = abi.decode(input, (uint32, address));
        require(dex < sizes.length);
        Summary memory account = summaryOf(user, dex);
        if (isUnified[user]) {
            account.rawUsd += int64(account.used) - account.value;
            account.value = int64(account.used);
        }
        return abi.encode(account);
    }

    function summaryOf(address user, uint32 dex) private view returns (Summary memory account) {
        account.value = cash[user][dex];
        int64 net = 0;
        for (uint32 id = dex * PERPS; id < dex * PERPS + sizes[dex]; id++) {
            Position memory one = positions[user][id];
            if (one.size == 0) continue;
            int64 signed = one.size * int64(marks[id]);
            uint64 notional = uint64(signed < 0 ? -signed : signed);
            int64 entry = one.size < 0 ? -int64(one.entryNotional) : int64(one.entryNotional);
            int64 worth = one.isIsolated ? one.isolatedUsd + signed : signed - entry;
            account.value += worth;
            account.used += one.isIsolated ? uint64(worth) : notional / one.leverage;
            account.notional += notional;
            net += signed;
        }
        account.rawUsd = account.value - net;
    }

    function shareAnswer(address user, bytes calldata input) private view returns (bytes memory) {
        (, address vault) = abi.decode(input, (address, address));
        require(isVault[vault]);
        return abi.encode(shares[user][vault].a, shares[user][vault].b);
    }

    /// An account that never lent or owed the token is refused.
    function loanAnswer(address user, bytes calldata input) private view returns (bytes memory) {
        (, uint64 token) = abi.decode(input, (address, uint64));
        Words memory loan = loans[user][token];
        require(loan.a + loan.c > 0);
        return abi.encode(loan);
    }

    function requirePerp(uint32 id) private view {
        require(id / PERPS < sizes.length && id % PERPS < sizes[id / PERPS]);
    }
}
