// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface YieldFactory {
    function isPT(address token) external view returns (bool);
    function isYT(address token) external view returns (bool);
}

interface MarketFactory {
    function isValidMarket(address market) external view returns (bool);
}

interface Token {
    function balanceOf(address owner) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Code of Pendle: made by its factories.
interface Principal is Token {
    function SY() external view returns (address);
    function PT() external view returns (address);
    function YT() external view returns (address);
    function expiry() external view returns (uint256);
}

interface YieldOf is Principal {
    function pyIndexCurrent() external returns (uint256);
    function getRewardTokens() external view returns (address[] memory);
    function redeemDueInterestAndRewards(address user, bool interest, bool rewards)
        external
        returns (uint256 interestOut, uint256[] memory rewardsOut);
}

interface Market is Token {
    struct State {
        int256 totalPt;
        int256 totalSy;
        int256 totalLp;
    }

    function readTokens() external view returns (address sy, address pt, address yt);
    function readState(address router) external view returns (State memory);
    function expiry() external view returns (uint256);
    function getRewardTokens() external view returns (address[] memory);
    function redeemRewards(address user) external returns (uint256[] memory);
}

interface Oracle {
    function getPtToSyRate(address market, uint32 duration) external view returns (uint256);
}

/// Code of a stranger.
interface Shares {
    function yieldToken() external view returns (address);
    function previewRedeem(address tokenOut, uint256 shares) external view returns (uint256);
}

struct Found {
    /// 1: market, 2: PT, 3: YT, 0: none.
    uint8 kind;
    address sy;
    address pt;
    address yt;
    address yieldToken;
    uint256 expiry;
}

struct Facts {
    address sy;
    address pt;
    address yt;
    /// Zero where none is known.
    address market;
    address yieldToken;
    address oracle;
}

/// Shares of an SY; `paid`: their worth in the yield token, where the SY has what is claimed of it.
struct Worth {
    uint256 sy;
    uint256 paid;
    /// What the SY holds of the yield token, for all that is claimed of it.
    uint256 kept;
    bool isBacked;
}

/**
 * Which tokens Pendle's factories made, and what they could be exchanged for. The code of markets, PTs and YTs is Pendle's;
 * their SY may be anybody's. It is never deployed: its runtime code travels with the call.
 */
contract PendleLens {
    uint256 private constant ONE = 1e18;
    uint32 private constant TWAP_SECONDS = 900;
    uint256 private constant FOREIGN_GAS = 500_000;
    uint256 private constant CLAIM_GAS = 3_000_000;

    function recognise(address[] calldata yieldFactories, address[] calldata marketFactories, address[] calldata tokens)
        external
        view
        returns (Found[] memory found)
    {
        found = new Found[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = tokens[i];
            if (isMadeBy(marketFactories, MarketFactory.isValidMarket.selector, token)) found[i] = foundMarket(token);
            else if (isMadeBy(yieldFactories, YieldFactory.isPT.selector, token)) found[i] = foundToken(token, 2);
            else if (isMadeBy(yieldFactories, YieldFactory.isYT.selector, token)) found[i] = foundToken(token, 3);
            if (found[i].kind > 0) found[i].yieldToken = yieldTokenOf(found[i].sy);
        }
    }

    /// What burning LP pays.
    function liquidity(Facts calldata facts, uint256 lp) external returns (Worth memory worth, uint256 pt) {
        Market.State memory state = Market(facts.market).readState(address(0));
        if (state.totalLp <= 0) return (worth, 0);
        pt = uint256(state.totalPt) * lp / uint256(state.totalLp);
        uint256 claims = uint256(state.totalSy) + claimsOf(facts, YieldOf(facts.yt).pyIndexCurrent());
        worth = worthOf(facts, uint256(state.totalSy) * lp / uint256(state.totalLp), claims);
    }

    /// What PTs are worth: what they redeem once expired, or else by the average rate of the market. Nothing without one.
    function principal(Facts calldata facts, uint256 amount) external returns (bool isKnown, Worth memory worth) {
        uint256 index = YieldOf(facts.yt).pyIndexCurrent();
        uint256 rate;
        if (isExpired(facts)) return (true, worthOf(facts, amount * ONE / index, claimsOf(facts, index)));
        (isKnown, rate) = rateOf(facts, index);
        worth = worthOf(facts, amount * rate / ONE, claimsOf(facts, index));
    }

    /// What YTs are worth: what is left of the asset beside the PT, and nothing once expired.
    function yield(Facts calldata facts, uint256 amount) external returns (bool isKnown, Worth memory worth) {
        if (isExpired(facts)) return (true, worth);
        uint256 index = YieldOf(facts.yt).pyIndexCurrent();
        uint256 rate;
        (isKnown, rate) = rateOf(facts, index);
        worth = worthOf(facts, amount * (ONE * ONE / index - rate) / ONE, claimsOf(facts, index));
    }

    /// Shares of an SY that somebody holds.
    function shares(Facts calldata facts, uint256 amount) external view returns (Worth memory) {
        return worthOf(facts, amount, amount);
    }

    /// What a claim pays the wallet: of interest, and of rewards.
    function due(Facts calldata facts, address wallet)
        external
        returns (Worth memory interest, address[] memory tokens, uint256[] memory rewards)
    {
        uint256 out;
        tokens = YieldOf(facts.yt).getRewardTokens();
        (out, rewards) = YieldOf(facts.yt).redeemDueInterestAndRewards{gas: CLAIM_GAS}(wallet, true, true);
        uint256 claims = claimsOf(facts, YieldOf(facts.yt).pyIndexCurrent());
        interest = worthOf(facts, out, claims > out ? claims : out);
    }

    function foundMarket(address market) private view returns (Found memory found) {
        (found.sy, found.pt, found.yt) = Market(market).readTokens();
        found.expiry = Market(market).expiry();
        found.kind = 1;
    }

    function foundToken(address token, uint8 kind) private view returns (Found memory found) {
        found.sy = Principal(token).SY();
        found.pt = kind == 2 ? token : Principal(token).PT();
        found.yt = kind == 3 ? token : Principal(token).YT();
        found.expiry = Principal(token).expiry();
        found.kind = kind;
    }

    function isMadeBy(address[] calldata factories, bytes4 flag, address made) private view returns (bool) {
        for (uint256 i = 0; i < factories.length; i++) {
            (bool ok, uint256 answer) = ask(factories[i], abi.encodeWithSelector(flag, made));
            if (ok && answer == 1) return true;
        }
        return false;
    }

    function yieldTokenOf(address sy) private view returns (address) {
        (bool ok, uint256 answer) = ask(sy, abi.encodeCall(Shares.yieldToken, ()));
        return ok && answer <= type(uint160).max && address(uint160(answer)) != sy ? address(uint160(answer)) : address(0);
    }

    function isExpired(Facts calldata facts) private view returns (bool) {
        return Principal(facts.pt).expiry() <= block.timestamp;
    }

    /// Shares of the SY that all PTs can claim: their supply is counted by Pendle's code.
    function claimsOf(Facts calldata facts, uint256 index) private view returns (uint256) {
        return Token(facts.pt).totalSupply() * ONE / index;
    }

    /// Of a PT in shares of the SY, never more than it redeems. The last rate where the market's memory is too short.
    function rateOf(Facts calldata facts, uint256 index) private view returns (bool isKnown, uint256 rate) {
        if (facts.market == address(0)) return (false, 0);
        (isKnown, rate) = ask(facts.oracle, abi.encodeCall(Oracle.getPtToSyRate, (facts.market, TWAP_SECONDS)));
        if (!isKnown) (isKnown, rate) = ask(facts.oracle, abi.encodeCall(Oracle.getPtToSyRate, (facts.market, 0)));
        uint256 most = ONE * ONE / index;
        if (rate > most) rate = most;
    }

    /**
     * An SY counts if it holds what it claims to redeem for all shares: those that it says exist, and at least `claims`,
     * which are counted by others. No share counts for more than its part of that.
     */
    function worthOf(Facts calldata facts, uint256 amount, uint256 claims) private view returns (Worth memory worth) {
        worth.sy = amount;
        if (facts.yieldToken == address(0)) return worth;
        (bool isCounted, uint256 supply) = ask(facts.sy, abi.encodeCall(Token.totalSupply, ()));
        if (supply > claims) claims = supply;
        if (!isCounted || claims == 0 || claims > type(uint128).max) return worth;
        (bool isTold, uint256 whole) = preview(facts, claims);
        (bool isPart, uint256 part) = preview(facts, amount);
        (bool isKept, uint256 kept) = ask(facts.yieldToken, abi.encodeCall(Token.balanceOf, (facts.sy)));
        if (!isTold || !isPart || !isKept || whole > kept || kept > type(uint128).max) return worth;
        uint256 most = kept * amount / claims + 1;
        worth.isBacked = true;
        worth.kept = kept;
        worth.paid = part < most ? part : most;
    }

    function preview(Facts calldata facts, uint256 amount) private view returns (bool, uint256) {
        return ask(facts.sy, abi.encodeCall(Shares.previewRedeem, (facts.yieldToken, amount)));
    }

    /// The first word of the answer of a contract that may burn its gas or answer at any length.
    function ask(address target, bytes memory question) private view returns (bool ok, uint256 word) {
        uint256 most = FOREIGN_GAS;
        assembly {
            ok := staticcall(most, target, add(question, 32), mload(question), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            if ok { word := mload(0) }
        }
    }
}
