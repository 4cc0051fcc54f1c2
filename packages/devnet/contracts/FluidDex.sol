// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {FluidLiquidity} from "./FluidLiquidity.sol";

interface Caller {
    function dexCallback(address token, uint256 amount) external;
}

/**
 * A pool of Fluid: shares of its collateral and of its debt, in proportion, by Fluid's rounding (12 decimals for both tokens, a
 * unit against the user at either end) and its bounds for one step. Trades are x·y = k over the collateral.
 */
contract FluidDex {
    using SafeERC20 for IERC20;

    error FluidDexPerfectLiquidityOutput(uint256 token0Amt, uint256 token1Amt);

    // The order is Fluid's: others read the slots.
    uint256 private dexVariables;
    uint256 private dexVariables2;
    uint256 private supplyShares;
    mapping(address => uint256) private suppliers;
    uint256 private borrowShares;
    mapping(address => uint256) private borrowers;

    FluidLiquidity public immutable liquidity;
    address public immutable token0;
    address public immutable token1;
    uint256 private immutable decimals0;
    uint256 private immutable decimals1;

    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;
    uint256 private constant DECIMALS = 12;

    event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to);
    event LogDepositPerfectColLiquidity(uint256 shares, uint256 token0Amt, uint256 token1Amt);
    event LogWithdrawPerfectColLiquidity(uint256 shares, uint256 token0Amt, uint256 token1Amt);
    event LogBorrowPerfectDebtLiquidity(uint256 shares, uint256 token0Amt, uint256 token1Amt);
    event LogPaybackPerfectDebtLiquidity(uint256 shares, uint256 token0Amt, uint256 token1Amt);
    event LogDepositColLiquidity(uint256 amount0, uint256 amount1, uint256 shares);
    event LogArbitrage(int256 routing, uint256 amtOut);

    constructor(FluidLiquidity liquidity_, address token0_, address token1_, uint256 decimals0_, uint256 decimals1_) {
        (liquidity, token0, token1) = (liquidity_, token0_, token1_);
        (decimals0, decimals1) = (decimals0_, decimals1_);
    }

    function readFromStorage(bytes32 slot) external view returns (uint256 found) {
        assembly ("memory-safe") {
            found := sload(slot)
        }
    }

    /// The first shares of both kinds, 18 decimals.
    function open(uint256 amount0, uint256 amount1, uint256 debt0, uint256 debt1, uint256 shares) external payable {
        move(token0, int256(amount0), 0, address(0));
        move(token1, int256(amount1), 0, address(0));
        move(token0, 0, int256(debt0), msg.sender);
        move(token1, 0, int256(debt1), msg.sender);
        supplyShares = shares;
        borrowShares = shares;
    }

    function depositPerfect(uint256 shares, uint256 max0, uint256 max1, bool estimate)
        external
        payable
        returns (uint256 amount0, uint256 amount1)
    {
        (amount0, amount1) = above(collateral0(), collateral1(), shares, supplyShares);
        if (estimate) revert FluidDexPerfectLiquidityOutput(amount0, amount1);
        require(amount0 <= max0 && amount1 <= max1, "above the most");
        supplyShares += shares;
        suppliers[msg.sender] += shares;
        move(token0, int256(amount0), 0, address(0));
        move(token1, int256(amount1), 0, address(0));
        giveBack(amount0, amount1);
        emit LogDepositPerfectColLiquidity(shares, amount0, amount1);
    }

    /// Of one token alone, worth as much as a part of both; afterwards collateral and debt trade with each other.
    function deposit(uint256 amount0, uint256 amount1, uint256 least, bool) external payable returns (uint256 shares) {
        shares = supplyShares * (amount0 * 10 ** (DECIMALS + 6 - decimals0) + amount1 * 10 ** (DECIMALS + 6 - decimals1))
            / (2 * (collateral0() * 1e6 + collateral1() * 1e6));
        require(shares >= least, "below the least");
        supplyShares += shares;
        suppliers[msg.sender] += shares;
        if (amount0 > 0) move(token0, int256(amount0), 0, address(0));
        if (amount1 > 0) move(token1, int256(amount1), 0, address(0));
        move(token0, 1000, 1000, address(this));
        move(token1, -1000, -1000, address(this));
        emit LogArbitrage(1000, 1000);
        emit LogDepositColLiquidity(amount0, amount1, shares);
    }

    function withdrawPerfect(uint256 shares, uint256 min0, uint256 min1, address to)
        external
        returns (uint256 amount0, uint256 amount1)
    {
        checkBounds(shares, supplyShares);
        amount0 = (collateral0() * shares / supplyShares - 1) * 10 ** decimals0 / 10 ** DECIMALS - 1;
        amount1 = (collateral1() * shares / supplyShares - 1) * 10 ** decimals1 / 10 ** DECIMALS - 1;
        if (to == DEAD) revert FluidDexPerfectLiquidityOutput(amount0, amount1);
        require(amount0 >= min0 && amount1 >= min1, "below the least");
        suppliers[msg.sender] -= shares;
        supplyShares -= shares;
        move(token0, -int256(amount0), 0, to);
        move(token1, -int256(amount1), 0, to);
        emit LogWithdrawPerfectColLiquidity(shares, amount0, amount1);
    }

    function borrowPerfect(uint256 shares, uint256 min0, uint256 min1, address to)
        external
        returns (uint256 amount0, uint256 amount1)
    {
        amount0 = (debt0() * shares / borrowShares - 1) * 10 ** decimals0 / 10 ** DECIMALS - 1;
        amount1 = (debt1() * shares / borrowShares - 1) * 10 ** decimals1 / 10 ** DECIMALS - 1;
        require(amount0 >= min0 && amount1 >= min1, "below the least");
        borrowers[msg.sender] += shares;
        borrowShares += shares;
        move(token0, 0, int256(amount0), to);
        move(token1, 0, int256(amount1), to);
        emit LogBorrowPerfectDebtLiquidity(shares, amount0, amount1);
    }

    function paybackPerfect(uint256 shares, uint256 max0, uint256 max1, bool estimate)
        external
        payable
        returns (uint256 amount0, uint256 amount1)
    {
        checkBounds(shares, borrowShares);
        (amount0, amount1) = above(debt0(), debt1(), shares, borrowShares);
        if (estimate) revert FluidDexPerfectLiquidityOutput(amount0, amount1);
        require(amount0 <= max0 && amount1 <= max1, "above the most");
        borrowers[msg.sender] -= shares;
        borrowShares -= shares;
        move(token0, 0, -int256(amount0), address(0));
        move(token1, 0, -int256(amount1), address(0));
        giveBack(amount0, amount1);
        emit LogPaybackPerfectDebtLiquidity(shares, amount0, amount1);
    }

    function swapIn(bool swap0to1, uint256 amountIn, uint256, address to) external payable returns (uint256 amountOut) {
        (uint256 from, uint256 into) = swap0to1 ? (collateral0(), collateral1()) : (collateral1(), collateral0());
        (uint256 inDecimals, uint256 outDecimals) = swap0to1 ? (decimals0, decimals1) : (decimals1, decimals0);
        uint256 amount = amountIn * 10 ** DECIMALS / 10 ** inDecimals;
        amountOut = into * amount / (from + amount) * 10 ** outDecimals / 10 ** DECIMALS;
        move(swap0to1 ? token0 : token1, int256(amountIn), 0, address(0));
        move(swap0to1 ? token1 : token0, -int256(amountOut), 0, to);
        emit Swap(swap0to1, amountIn, amountOut, to);
    }

    /// A trade with the pool's debt: what comes in is repaid for what is borrowed and goes out.
    function swapDebt(bool swap0to1, uint256 amountIn, uint256 amountOut, address to) external payable {
        move(swap0to1 ? token0 : token1, 0, -int256(amountIn), address(0));
        move(swap0to1 ? token1 : token0, 0, int256(amountOut), to);
        emit Swap(swap0to1, amountIn, amountOut, to);
    }

    /// A contract pays by its own callback, as vaults do; a wallet by its allowance.
    function liquidityCallback(address token, uint256 amount, bytes calldata data) external {
        require(msg.sender == address(liquidity), "not for you");
        address payer = abi.decode(data, (address));
        if (payer.code.length > 0) Caller(payer).dexCallback(token, amount);
        else IERC20(token).safeTransferFrom(payer, address(liquidity), amount);
    }

    function move(address token, int256 supplied, int256 borrowed, address to) private {
        int256 paid = supplied > 0 ? supplied : borrowed < 0 ? -borrowed : int256(0);
        if (supplied != 0 && borrowed != 0) paid = 0;
        uint256 value = token == liquidity.COIN() ? uint256(paid) : 0;
        liquidity.operate{value: value}(token, supplied, borrowed, to, to, abi.encode(msg.sender));
    }

    /// Coin that was sent beyond the amount.
    function giveBack(uint256 amount0, uint256 amount1) private {
        uint256 used = token0 == liquidity.COIN() ? amount0 : token1 == liquidity.COIN() ? amount1 : 0;
        if (msg.value <= used) return;
        (bool ok,) = msg.sender.call{value: msg.value - used}("");
        require(ok, "not taken");
    }

    function above(uint256 of0, uint256 of1, uint256 shares, uint256 total) private view returns (uint256, uint256) {
        return (
            (of0 * shares / total + 1) * 10 ** decimals0 / 10 ** DECIMALS + 1,
            (of1 * shares / total + 1) * 10 ** decimals1 / 10 ** DECIMALS + 1
        );
    }

    function checkBounds(uint256 shares, uint256 total) private pure {
        require(shares <= total * 9999 / 10000 && shares >= total / 1e9, "too many or too few");
    }

    function collateral0() private view returns (uint256) {
        uint256 amount = liquidity.suppliedRaw(address(this), token0) * liquidity.supplyPrice(token0) / 1e12;
        return amount * 10 ** DECIMALS / 10 ** decimals0;
    }

    function collateral1() private view returns (uint256) {
        uint256 amount = liquidity.suppliedRaw(address(this), token1) * liquidity.supplyPrice(token1) / 1e12;
        return amount * 10 ** DECIMALS / 10 ** decimals1;
    }

    function debt0() private view returns (uint256) {
        uint256 amount = liquidity.borrowedRaw(address(this), token0) * liquidity.borrowPrice(token0) / 1e12;
        return amount * 10 ** DECIMALS / 10 ** decimals0;
    }

    function debt1() private view returns (uint256) {
        uint256 amount = liquidity.borrowedRaw(address(this), token1) * liquidity.borrowPrice(token1) / 1e12;
        return amount * 10 ** DECIMALS / 10 ** decimals1;
    }
}
