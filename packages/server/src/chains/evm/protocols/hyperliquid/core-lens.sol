// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/**
 * What a wallet has on HyperCore, by HyperEVM's read precompiles. These take bare arguments without a selector, cost
 * 2000 gas and 65 for each byte in and out, and burn all gas of a call whose input they refuse. It is never deployed: its
 * runtime code travels with the call.
 */
contract CoreLens {
    /// total: hold included, in the token's own units on HyperCore. isKnown: false if the facts that follow were not read.
    struct Balance {
        uint64 token;
        uint64 total;
        uint64 hold;
        bool isKnown;
        address evmContract;
        int8 extraDecimals;
    }

    /// Something that is locked until a time, in milliseconds: a delegation to a validator, a share of a vault.
    struct Lot {
        address at;
        uint64 amount;
        uint64 lockedUntil;
    }

    struct Stake {
        uint64 undelegated;
        uint64 pending;
        Lot[] delegations;
    }

    struct Perp {
        string coin;
        int64 size;
        uint64 entryNotional;
        int64 isolatedUsd;
        uint64 markPrice;
        uint32 leverage;
        bool isIsolated;
        uint32 marginTable;
        uint8 sizeDecimals;
    }

    /// An account at an exchange of perpetuals. isWhole: its positions add up to what it says they are worth, within a thousandth.
    struct Margin {
        uint32 dex;
        int64 value;
        uint64 used;
        bool isWhole;
        bool isKnown;
        address evmContract;
        uint8 weiDecimals;
        int8 extraDecimals;
        Perp[] perps;
    }

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

    uint160 private constant SPOT_BALANCE = 0x801;
    uint160 private constant VAULT_EQUITY = 0x802;
    uint160 private constant DELEGATIONS = 0x804;
    uint160 private constant DELEGATOR_SUMMARY = 0x805;
    uint160 private constant MARK_PRICE = 0x806;
    uint160 private constant PERP_FACTS = 0x80a;
    uint160 private constant TOKEN_FACTS = 0x80c;
    uint160 private constant MARGIN_SUMMARY = 0x80f;
    uint160 private constant USER_EXISTS = 0x810;
    uint160 private constant LENDING = 0x811;
    uint160 private constant POSITION = 0x813;

    /// More than an answer of some words costs, and than one with a list in it.
    uint256 private constant WORDS_GAS = 50_000;
    uint256 private constant LIST_GAS = 800_000;
    /// What must be left to ask for one thing more: below, a refusal would say nothing.
    uint256 private constant ROOM = 1_500_000;
    /// Numbers in a row that are refused where a list ends.
    uint256 private constant END = 3;
    uint256 private constant MOST_TOKENS = 1024;
    uint256 private constant MOST_DEXES = 64;
    /// Numbers of perpetuals: this many for each exchange.
    uint256 private constant PERPS = 10_000;
    uint256 private constant MOST_POSITIONS = 512;

    error Refused(uint160 precompile);

    /// Spot balances by the numbers of tokens, which begin at zero. isWhole: all up to end, or to the last token, were read.
    function balances(address user, uint64 start, uint64 end)
        external
        view
        returns (Balance[] memory found, bool isWhole)
    {
        if (!exists(user)) return (found, true);
        // USDC is always there: without it, tokens that are refused would be no end of the list.
        must(SPOT_BALANCE, WORDS_GAS, abi.encode(user, uint64(0)));
        uint256 most = end - start < MOST_TOKENS ? end - start : MOST_TOKENS;
        uint256[] memory words = new uint256[](most);
        uint256 count = 0;
        uint256 misses = 0;
        uint64 token = start;
        while (token < end && count < most && misses < END && gasleft() > ROOM) {
            (bool ok, bytes memory answer) = ask(SPOT_BALANCE, WORDS_GAS, abi.encode(user, token));
            misses = ok ? 0 : misses + 1;
            if (ok) {
                (uint64 total, uint64 hold,) = abi.decode(answer, (uint64, uint64, uint64));
                if (total > 0) words[count++] = (uint256(token) << 128) | (uint256(total) << 64) | hold;
            }
            token++;
        }
        isWhole = token == end || misses == END;
        found = new Balance[](count);
        for (uint256 i = 0; i < count; i++) {
            Balance memory one = found[i];
            (one.token, one.total, one.hold) = (uint64(words[i] >> 128), uint64(words[i] >> 64), uint64(words[i]));
            // Strangers can send many tokens: those that come first are told.
            if (gasleft() < ROOM) continue;
            TokenFacts memory facts;
            (one.isKnown, facts) = factsOf(one.token);
            (one.evmContract, one.extraDecimals) = (facts.evmContract, facts.extraDecimals);
        }
    }

    /// Stakes, shares of these vaults, those of the tokens that are lent or owed, and the block's time.
    function deposits(address user, address[] calldata vaults, uint64[] calldata tokens)
        external
        view
        returns (Stake memory stake, Lot[] memory shares, address[] memory refused, uint64[] memory lent, uint256 time)
    {
        if (!exists(user)) return (stake, shares, refused, lent, time);
        time = block.timestamp;
        stake.delegations = abi.decode(must(DELEGATIONS, LIST_GAS, abi.encode(user)), (Lot[]));
        (, stake.undelegated, stake.pending,) =
            abi.decode(must(DELEGATOR_SUMMARY, WORDS_GAS, abi.encode(user)), (uint64, uint64, uint64, uint64));
        (shares, refused) = sharesOf(user, vaults);
        lent = lentOf(user, tokens);
    }

    /// Accounts at exchanges of perpetuals that are not empty. collaterals: the token of each exchange, by its number.
    function margins(address user, uint64[] calldata collaterals)
        external
        view
        returns (Margin[] memory found, bool isWhole)
    {
        if (!exists(user)) return (found, true);
        found = new Margin[](MOST_DEXES);
        uint256 count = 0;
        uint256 misses = 0;
        uint32 dex = 0;
        for (; dex < MOST_DEXES && misses < END && gasleft() > ROOM; dex++) {
            (bool ok, bytes memory answer) = ask(MARGIN_SUMMARY, WORDS_GAS, abi.encode(dex, user));
            if (!ok && dex == 0) revert Refused(MARGIN_SUMMARY);
            misses = ok ? 0 : misses + 1;
            if (!ok) continue;
            (int64 value, uint64 used, uint64 notional,) = abi.decode(answer, (int64, uint64, uint64, int64));
            if (value == 0 && notional == 0) continue;
            Margin memory one = found[count++];
            (one.dex, one.value, one.used) = (dex, value, used);
            (one.perps, one.isWhole) = perpsOf(user, dex, notional);
            if (dex >= collaterals.length) continue;
            TokenFacts memory facts;
            (one.isKnown, facts) = factsOf(collaterals[dex]);
            (one.evmContract, one.weiDecimals, one.extraDecimals) =
                (facts.evmContract, facts.weiDecimals, facts.extraDecimals);
        }
        isWhole = misses == END || dex == MOST_DEXES;
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// Until the positions are worth as much as the account says: its perpetuals are listed nowhere.
    function perpsOf(address user, uint32 dex, uint64 notional) private view returns (Perp[] memory perps, bool isWhole) {
        uint32[] memory ids = new uint32[](MOST_POSITIONS);
        bytes[] memory positions = new bytes[](MOST_POSITIONS);
        uint256 count = 0;
        uint256 misses = 0;
        uint256 sum = 0;
        uint32 id = uint32(dex * PERPS);
        while (sum < notional && count < MOST_POSITIONS && misses < END && gasleft() > ROOM) {
            (bool ok, bytes memory answer) = ask(POSITION, WORDS_GAS, abi.encode(user, id));
            misses = ok ? 0 : misses + 1;
            int64 size = ok ? abi.decode(answer, (int64)) : int64(0);
            if (size != 0) {
                (ids[count], positions[count]) = (id, answer);
                count++;
                sum += uint256(size < 0 ? -int256(size) : int256(size)) * markOf(id);
            }
            id++;
        }
        isWhole = sum + notional / 1_000 >= notional;
        perps = new Perp[](count);
        for (uint256 i = 0; i < count; i++) readPerp(ids[i], positions[i], perps[i]);
    }

    function readPerp(uint32 id, bytes memory position, Perp memory one) private view {
        PerpFacts memory facts = abi.decode(must(PERP_FACTS, WORDS_GAS, abi.encode(id)), (PerpFacts));
        (one.coin, one.marginTable, one.sizeDecimals) = (facts.coin, facts.marginTable, facts.sizeDecimals);
        one.markPrice = uint64(markOf(id));
        (one.size, one.entryNotional, one.isolatedUsd, one.leverage, one.isIsolated) =
            abi.decode(position, (int64, uint64, int64, uint32, bool));
    }

    function markOf(uint32 id) private view returns (uint256) {
        return abi.decode(must(MARK_PRICE, WORDS_GAS, abi.encode(id)), (uint64));
    }

    function sharesOf(address user, address[] calldata vaults)
        private
        view
        returns (Lot[] memory shares, address[] memory refused)
    {
        shares = new Lot[](vaults.length);
        refused = new address[](vaults.length);
        uint256 count = 0;
        uint256 unknown = 0;
        for (uint256 i = 0; i < vaults.length; i++) {
            (bool ok, bytes memory answer) = ask(VAULT_EQUITY, WORDS_GAS, abi.encode(user, vaults[i]));
            if (!ok) {
                refused[unknown++] = vaults[i];
                continue;
            }
            Lot memory share = shares[count];
            share.at = vaults[i];
            (share.amount, share.lockedUntil) = abi.decode(answer, (uint64, uint64));
            if (share.amount > 0) count++;
        }
        assembly ("memory-safe") {
            mstore(shares, count)
            mstore(refused, unknown)
        }
    }

    /// An account that never lent or owed a token is refused: here a refusal is an answer.
    function lentOf(address user, uint64[] calldata tokens) private view returns (uint64[] memory lent) {
        lent = new uint64[](tokens.length);
        uint256 count = 0;
        for (uint256 i = 0; i < tokens.length; i++) {
            (bool ok, bytes memory answer) = ask(LENDING, WORDS_GAS, abi.encode(user, tokens[i]));
            if (!ok) continue;
            (, uint64 owed,, uint64 supplied) = abi.decode(answer, (uint64, uint64, uint64, uint64));
            if (owed > 0 || supplied > 0) lent[count++] = tokens[i];
        }
        assembly ("memory-safe") {
            mstore(lent, count)
        }
    }

    function factsOf(uint64 token) private view returns (bool ok, TokenFacts memory facts) {
        bytes memory answer;
        (ok, answer) = ask(TOKEN_FACTS, LIST_GAS, abi.encode(token));
        if (ok) facts = abi.decode(answer, (TokenFacts));
    }

    function exists(address user) private view returns (bool) {
        return abi.decode(must(USER_EXISTS, WORDS_GAS, abi.encode(user)), (bool));
    }

    /// Where there is no precompile, a call passes and answers nothing.
    function ask(uint160 precompile, uint256 most, bytes memory input) private view returns (bool, bytes memory) {
        (bool ok, bytes memory answer) = address(precompile).staticcall{gas: most}(input);
        return (ok && answer.length > 0, answer);
    }

    function must(uint160 precompile, uint256 most, bytes memory input) private view returns (bytes memory answer) {
        bool ok;
        (ok, answer) = ask(precompile, most, input);
        if (!ok) revert Refused(precompile);
    }
}
