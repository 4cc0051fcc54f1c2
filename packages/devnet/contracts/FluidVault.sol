// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {FluidDex} from "./FluidDex.sol";
import {FluidLiquidity} from "./FluidLiquidity.sol";
import {FluidTicks} from "./FluidTicks.sol";

interface Positions {
    function mint(uint256 vaultId, address owner) external returns (uint256);
    function ownerOf(uint256 id) external view returns (address);
}

/**
 * A vault of Fluid, of any of its four types: collateral and debt are each a token, or shares of a pool. Positions lie at ticks, in
 * Fluid's layout of storage and with its rounding. A liquidation takes a part of the debt at the highest tick; all who have
 * theirs there share it. Risk checks and branches that merge are left out.
 */
contract FluidVault {
    using SafeERC20 for IERC20;

    struct Tokens {
        address token0;
        address token1;
    }

    /// dex of a side: zero if it is a token. isOld: of the generation without types.
    struct Setup {
        FluidLiquidity liquidity;
        Positions factory;
        address deployer;
        uint256 oracle;
        FluidDex supply;
        FluidDex borrow;
        address supplyToken;
        address borrowToken;
        bool isOld;
    }

    struct OldFacts {
        address liquidity;
        address factory;
        address adminImplementation;
        address secondaryImplementation;
        address supplyToken;
        address borrowToken;
        uint8 supplyDecimals;
        uint8 borrowDecimals;
        uint256 vaultId;
        bytes32[4] slots;
    }

    struct Facts {
        address liquidity;
        address factory;
        address operateImplementation;
        address adminImplementation;
        address secondaryImplementation;
        address deployer;
        address supply;
        address borrow;
        Tokens supplyToken;
        Tokens borrowToken;
        uint256 vaultId;
        uint256 vaultType;
        bytes32[4] slots;
    }

    // The order is Fluid's: others read the slots.
    uint256 private vaultVariables;
    uint256 private vaultVariables2;
    uint256 private absorbedLiquidity;
    mapping(uint256 id => uint256) private positionData;
    mapping(int256 => uint256) private tickHasDebt;
    mapping(int256 tick => uint256) private tickData;
    mapping(int256 tick => mapping(uint256 tickId => uint256)) private formerTicks;
    mapping(uint256 branch => uint256) private branchData;

    mapping(uint256 branch => uint256) private remaining;
    int256[] private usedTicks;
    uint256 private branches;
    uint256 private supplyPrice = UNIT;
    uint256 private borrowPrice = UNIT;
    Setup private setup;
    uint256 private immutable vaultId;
    address private payer;

    uint256 private constant UNIT = 1e12;
    uint256 private constant ALL_PARTIALS = 0x3fffffff;
    uint256 private constant THRESHOLD = 900;
    uint256 private constant PENALTY = 100;
    uint256 private constant ABSORBED = 950;

    event LogOperate(address user_, uint256 nftId_, int256 colAmt_, int256 debtAmt_, address to_);
    event LogLiquidate(address liquidator_, uint256 colAmt_, uint256 debtAmt_, address to_);

    constructor(uint256 vaultId_, Setup memory setup_) {
        (vaultId, setup) = (vaultId_, setup_);
        uint256 oracle = setup_.isOld ? setup_.oracle << 96 : setup_.oracle << 92;
        vaultVariables2 = (THRESHOLD << 42) | (ABSORBED << 52) | (PENALTY << 72) | oracle;
    }

    receive() external payable {}

    function readFromStorage(bytes32 slot) external view returns (uint256 found) {
        assembly ("memory-safe") {
            found := sload(slot)
        }
    }

    /// Two shapes by generation.
    function constantsView() external view {
        bytes memory answer;
        if (setup.isOld) {
            OldFacts memory old;
            (old.liquidity, old.factory, old.vaultId) = (address(setup.liquidity), address(setup.factory), vaultId);
            (old.supplyToken, old.borrowToken) = (setup.supplyToken, setup.borrowToken);
            answer = abi.encode(old);
        } else {
            Facts memory facts;
            (facts.liquidity, facts.factory, facts.vaultId) = (address(setup.liquidity), address(setup.factory), vaultId);
            facts.deployer = setup.deployer;
            facts.supply = isSmart(setup.supply) ? address(setup.supply) : facts.liquidity;
            facts.borrow = isSmart(setup.borrow) ? address(setup.borrow) : facts.liquidity;
            facts.supplyToken = tokensOf(setup.supply, setup.supplyToken);
            facts.borrowToken = tokensOf(setup.borrow, setup.borrowToken);
            answer = abi.encode(facts);
        }
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }

    /// Of shares; the price of a token is that of the liquidity layer.
    function setPrices(uint256 supply, uint256 borrow) external {
        (supplyPrice, borrowPrice) = (supply, borrow);
    }

    function updateExchangePrices(uint256) public view returns (uint256, uint256, uint256 supply, uint256 borrow) {
        supply = isSmart(setup.supply) ? supplyPrice : setup.liquidity.supplyPrice(setup.supplyToken);
        borrow = isSmart(setup.borrow) ? borrowPrice : setup.liquidity.borrowPrice(setup.borrowToken);
        return (UNIT, UNIT, supply, borrow);
    }

    /// Of a vault without shares.
    function operate(uint256 id, int256 newCol, int256 newDebt, address to)
        external
        payable
        returns (uint256, int256, int256)
    {
        (id, newCol, newDebt) = book(id, newCol, newDebt);
        settle(newCol, newDebt, to);
        emit LogOperate(msg.sender, id, newCol, newDebt, to);
        return (id, newCol, newDebt);
    }

    /// Of a vault whose collateral alone is shares: a deposit of tokens in any proportion.
    function operate(uint256 id, int256 new0, int256 new1, int256 least, int256 newDebt, address to)
        external
        payable
        returns (uint256, int256 newCol, int256)
    {
        payer = msg.sender;
        newCol = int256(setup.supply.deposit(uint256(new0), uint256(new1), uint256(least), false));
        (id,,) = book(id, newCol, newDebt);
        settle(0, newDebt, to);
        emit LogOperate(msg.sender, id, newCol, newDebt, to);
        return (id, newCol, newDebt);
    }

    /// One side is shares: its limits follow the amount of collateral, or that of debt.
    function operatePerfect(uint256 id, int256 first, int256 second, int256 third, int256 fourth, address to)
        external
        payable
        returns (uint256, int256[] memory)
    {
        if (isSmart(setup.supply)) return perfect(id, [first, second, third, fourth, 0, 0], to);
        return perfect(id, [first, 0, 0, second, third, fourth], to);
    }

    /// Both sides are shares.
    function operatePerfect(uint256 id, int256 col, int256 col0, int256 col1, int256 debt, int256 debt0, int256 debt1, address to)
        external
        payable
        returns (uint256, int256[] memory)
    {
        return perfect(id, [col, col0, col1, debt, debt0, debt1], to);
    }

    /// Shares of collateral are put in before the position is written and logged, and tokens move; other shares follow.
    function perfect(uint256 id, int256[6] memory asked, address to) private returns (uint256, int256[] memory r) {
        payer = msg.sender;
        r = new int256[](6);
        if (isSmart(setup.supply) && asked[0] > 0) {
            (uint256 in0, uint256 in1) = setup.supply.depositPerfect{value: valueOf(setup.supply, asked[1], asked[2])}(
                uint256(asked[0]), uint256(asked[1]), uint256(asked[2]), false
            );
            (r[1], r[2]) = (int256(in0), int256(in1));
        }
        (id, r[0], r[3]) = book(id, asked[0], asked[3]);
        settle(isSmart(setup.supply) ? int256(0) : r[0], isSmart(setup.borrow) ? int256(0) : r[3], to);
        emit LogOperate(msg.sender, id, r[0], r[3], to);
        if (isSmart(setup.supply) && r[0] < 0) {
            (uint256 out0, uint256 out1) = setup.supply.withdrawPerfect(uint256(-r[0]), 0, 0, to);
            (r[1], r[2]) = (-int256(out0), -int256(out1));
        }
        if (isSmart(setup.borrow) && r[3] < 0) {
            uint256 value = valueOf(setup.borrow, -asked[4], -asked[5]);
            (uint256 in0, uint256 in1) = setup.borrow.paybackPerfect{value: value}(
                uint256(-r[3]), uint256(-asked[4]), uint256(-asked[5]), false
            );
            (r[4], r[5]) = (-int256(in0), -int256(in1));
        } else if (isSmart(setup.borrow) && r[3] > 0) {
            (uint256 out0, uint256 out1) =
                setup.borrow.borrowPerfect(uint256(r[3]), uint256(asked[4]), uint256(asked[5]), to);
            (r[4], r[5]) = (int256(out0), int256(out1));
        }
        (bool ok,) = msg.sender.call{value: address(this).balance}("");
        require(ok, "not taken");
        return (id, r);
    }

    /// The position as `newCol` and `newDebt` leave it; the smallest number takes out, or pays back, all of it.
    function book(uint256 id, int256 newCol, int256 newDebt) private returns (uint256, int256, int256) {
        if (id == 0) id = setup.factory.mint(vaultId, msg.sender);
        else require(positionData[id] != 0, "not of this vault");
        if (newCol < 0 || newDebt > 0) require(setup.factory.ownerOf(id) == msg.sender, "not yours");
        (uint256 col, uint256 debt) = takeUp(id);
        (,, uint256 colPrice, uint256 debtPrice) = updateExchangePrices(vaultVariables2);
        if (newCol == type(int256).min) {
            newCol = 1 - int256(col * colPrice / UNIT);
            col = 0;
        } else if (newCol < 0) {
            col -= uint256(-newCol) * UNIT / colPrice + 1;
        } else {
            col += uint256(newCol) * UNIT / colPrice;
        }
        if (newDebt == type(int256).min) {
            newDebt = -1 - int256(debt * debtPrice / UNIT);
            debt = 0;
        } else if (newDebt < 0) {
            debt -= uint256(-newDebt) * UNIT / debtPrice - 1;
        } else if (newDebt > 0) {
            debt += uint256(newDebt) * UNIT / debtPrice + 1;
        }
        putDown(id, col, debt);
        return (id, newCol, newDebt);
    }

    /// What is in a position now. Its debt leaves the tick.
    function takeUp(uint256 id) private returns (uint256 col, uint256 debt) {
        uint256 data = positionData[id];
        col = unpacked(data >> 45);
        if (data == 0 || data & 1 == 1) return (col, 0);
        (int256 tick, uint256 tickId) = (tickIn(data >> 1), (data >> 21) & 0xffffff);
        debt = ((FluidTicks.ratioAt(tick) * (col + (1 << ((data >> 45) & 0xff)))) >> 96) + 1;
        uint256 dust = unpacked(data >> 109);
        uint256 at = tickData[tick];
        if (at & 1 == 1 || (at >> 1) & 0xffffff > tickId) {
            (, debt, col,,) = fetchLatestPosition(tick, tickId, debt, at);
            if (debt <= dust) return (0, 0);
        } else {
            uint256 there = unpacked(at >> 25);
            tickData[tick] = (at & 0x1ffffff) | (packed(there > debt ? there - debt : 0) << 25);
        }
        debt -= dust;
    }

    function putDown(uint256 id, uint256 col, uint256 debt) private {
        if (debt == 0) {
            positionData[id] = 1 | (packed(col) << 45);
            return;
        }
        debt = debt * 1000000001 / 1000000000 + 1;
        int256 tick = FluidTicks.tickAt((debt << 96) / col) + 1;
        uint256 whole = (FluidTicks.ratioAt(tick) * col) >> 96;
        uint256 at = tickData[tick];
        uint256 tickId = (at >> 1) & 0xffffff;
        uint256 there = unpacked(at >> 25);
        if (tickId == 0) usedTicks.push(tick);
        if (tickId == 0 || at & 1 == 1) {
            if (at & 1 == 1) formerTicks[tick][tickId] = at >> 25;
            tickId++;
            there = 0;
        }
        tickData[tick] = (tickId << 1) | (packed(there + whole) << 25);
        uint256 place = (uint256(tick < 0 ? -tick : tick) << 1) | (tick < 0 ? 0 : 1);
        positionData[id] = (place << 1) | (tickId << 21) | (packed(col) << 45) | (packed(whole - debt) << 109);
    }

    /// All that was at the highest tick above the threshold moves to a branch, less the part that is liquidated.
    function liquidate(uint256 debtAmt, uint256, address to, bool) external payable returns (uint256, uint256 col) {
        col = seize(debtAmt);
        if (col == 0) return (0, 0);
        settle(-int256(col), -int256(debtAmt), to);
        emit LogLiquidate(msg.sender, col, debtAmt, to);
        return (debtAmt, col);
    }

    /// The collateral of a part of the debt. Far above the threshold all is absorbed by the protocol instead.
    function seize(uint256 debtAmt) private returns (uint256 col) {
        (,, uint256 colPrice, uint256 debtPrice) = updateExchangePrices(vaultVariables2);
        uint256 price = Oracle(oracle()).getExchangeRateLiquidate() * colPrice / debtPrice;
        int256 tick = topTick();
        uint256 ratio = FluidTicks.ratioAt(tick);
        require(ratio > (price << 96) / 1e27 * THRESHOLD / 1000, "nothing to liquidate");
        uint256 there = unpacked(tickData[tick] >> 25);
        branches++;
        if (ratio > (price << 96) / 1e27 * ABSORBED / 1000) {
            tickData[tick] = (tickData[tick] & 0x1fffffe) | 1 | (1 << 25) | (branches << 26);
            return 0;
        }
        uint256 debt = debtAmt * UNIT / debtPrice;
        col = debt * 1e27 / price * (10000 + PENALTY) / 10000;
        startBranch(((there - debt) << 96) / ((there << 96) / ratio - col));
        remaining[branches] = (there - debt) * 1e18 / there;
        tickData[tick] = (tickData[tick] & 0x1fffffe) | 1 | (branches << 26);
        return col * colPrice / UNIT;
    }

    /// A branch lies between two ticks, at a part of the way.
    function startBranch(uint256 ratio) private {
        int256 tick = FluidTicks.tickAt(ratio) + 1;
        uint256 above = FluidTicks.ratioAt(tick);
        uint256 below = above * 10000 / 10015;
        uint256 partials = (ratio - below) * ALL_PARTIALS / (above - below);
        uint256 place = (uint256(tick < 0 ? -tick : tick) << 1) | (tick < 0 ? 0 : 1);
        branchData[branches] = 1 | (place << 2) | (partials << 22);
    }

    /// What a liquidation left: the debt's share of its branch, less a ten thousandth, and collateral by the branch's ratio.
    function fetchLatestPosition(int256 tick, uint256 tickId, uint256 debt, uint256 at)
        public
        view
        returns (int256, uint256, uint256 col, uint256 branch, uint256 data)
    {
        uint256 left = (at >> 1) & 0xffffff == tickId ? at >> 25 : formerTicks[tick][tickId];
        branch = (left >> 1) & 0x3fffffff;
        data = branchData[branch];
        if (left & 1 == 1) return (type(int256).min, 0, 0, branch, data);
        debt = debt * remaining[branch] / 1e18 * 9999 / 10000;
        tick = tickIn(data >> 2);
        uint256 above = FluidTicks.ratioAt(tick);
        uint256 below = above * 10000 / 10015;
        col = (debt << 96) / (below + (above - below) * ((data >> 22) & ALL_PARTIALS) / ALL_PARTIALS);
        return (tick, debt, col, branch, data);
    }

    function liquidityCallback(address token, uint256 amount, bytes calldata data) external {
        require(msg.sender == address(setup.liquidity), "not for you");
        IERC20(token).safeTransferFrom(abi.decode(data, (address)), msg.sender, amount);
    }

    function dexCallback(address token, uint256 amount) external {
        require(msg.sender == address(setup.supply) || msg.sender == address(setup.borrow), "not for you");
        IERC20(token).safeTransferFrom(payer, address(setup.liquidity), amount);
    }

    /// Tokens that are no shares: first what comes in, then what goes out.
    function settle(int256 newCol, int256 newDebt, address to) private {
        bytes memory from = abi.encode(msg.sender);
        (FluidLiquidity liquidity, address col, address debt) = (setup.liquidity, setup.supplyToken, setup.borrowToken);
        address coin = liquidity.COIN();
        if (newCol > 0) {
            liquidity.operate{value: col == coin ? uint256(newCol) : 0}(col, newCol, 0, address(0), address(0), from);
        }
        if (newDebt < 0) {
            liquidity.operate{value: debt == coin ? uint256(-newDebt) : 0}(debt, 0, newDebt, address(0), address(0), from);
        }
        if (newCol < 0) liquidity.operate(col, newCol, 0, to, address(0), "");
        if (newDebt > 0) liquidity.operate(debt, 0, newDebt, address(0), to, "");
    }

    function topTick() private view returns (int256 top) {
        top = type(int256).min;
        for (uint256 i = 0; i < usedTicks.length; i++) {
            uint256 at = tickData[usedTicks[i]];
            if (at & 1 == 0 && unpacked(at >> 25) > 0 && usedTicks[i] > top) top = usedTicks[i];
        }
    }

    function oracle() private view returns (address) {
        if (setup.isOld) return address(uint160(vaultVariables2 >> 96));
        bytes memory rest = abi.encodePacked(uint8(0x94), setup.deployer);
        uint256 nonce = (vaultVariables2 >> 92) & 0x3fffffff;
        if (nonce < 0x80) rest = abi.encodePacked(uint8(0xd6), rest, uint8(nonce));
        else if (nonce < 0x100) rest = abi.encodePacked(uint8(0xd7), rest, hex"81", uint8(nonce));
        else rest = abi.encodePacked(uint8(0xd8), rest, hex"82", uint16(nonce));
        return address(uint160(uint256(keccak256(rest))));
    }

    /// What comes with a limit of native coin.
    function valueOf(FluidDex dex, int256 limit0, int256 limit1) private view returns (uint256) {
        address coin = setup.liquidity.COIN();
        if (dex.token0() == coin) return uint256(limit0);
        return dex.token1() == coin ? uint256(limit1) : 0;
    }

    function tokensOf(FluidDex dex, address token) private view returns (Tokens memory) {
        return isSmart(dex) ? Tokens(dex.token0(), dex.token1()) : Tokens(token, address(0));
    }

    function isSmart(FluidDex dex) private pure returns (bool) {
        return address(dex) != address(0);
    }

    /// A bit for the sign, set if positive, and 19 for the size.
    function tickIn(uint256 place) private pure returns (int256) {
        int256 size = int256((place >> 1) & 0x7ffff);
        return place & 1 == 1 ? size : -size;
    }

    /// 56 bits of a number, rounded down, and 8 bits that say how far it is shifted.
    function packed(uint256 number) private pure returns (uint256) {
        uint256 shift = 0;
        while (number >> shift > type(uint56).max) shift++;
        return ((number >> shift) << 8) | shift;
    }

    function unpacked(uint256 number) private pure returns (uint256) {
        number &= type(uint64).max;
        return (number >> 8) << (number & 0xff);
    }
}

interface Oracle {
    function getExchangeRateLiquidate() external view returns (uint256);
}
