// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IFees {
    function getFee(address pool, bool stable) external view returns (uint256);
}

/**
 * A pool as Velodrome v2's and Aerodrome's: x·y or x³y+y³x, fees in hundredths of a percent that lie with a payer beside the
 * pool and are counted by an index a share. Every quotient is rounded down as there.
 */
contract SolidlyPool is ERC20 {
    using SafeERC20 for IERC20;

    uint256 private constant ONE = 1e18;
    uint256 private constant LOCKED = 1_000;

    address public immutable factory;
    address public immutable token0;
    address public immutable token1;
    bool public immutable stable;
    FeePayer public immutable poolFees;
    uint256 private immutable unit0;
    uint256 private immutable unit1;
    uint256 public reserve0;
    uint256 public reserve1;
    uint256 public index0;
    uint256 public index1;
    mapping(address owner => uint256) public supplyIndex0;
    mapping(address owner => uint256) public supplyIndex1;
    mapping(address owner => uint256) public claimable0;
    mapping(address owner => uint256) public claimable1;

    event Fees(address indexed sender, uint256 amount0, uint256 amount1);
    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1);
    event Swap(
        address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out
    );
    event Sync(uint256 reserve0, uint256 reserve1);
    event Claim(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1);

    constructor(address one, address other, bool stable_) ERC20("AMM", "AMM") {
        (factory, token0, token1, stable) = (msg.sender, one, other, stable_);
        poolFees = new FeePayer(IERC20(one), IERC20(other));
        (unit0, unit1) = (10 ** ERC20(one).decimals(), 10 ** ERC20(other).decimals());
    }

    function tokens() external view returns (address, address) {
        return (token0, token1);
    }

    function claimFees() external returns (uint256 claimed0, uint256 claimed1) {
        settle(msg.sender);
        (claimed0, claimed1) = (claimable0[msg.sender], claimable1[msg.sender]);
        if (claimed0 == 0 && claimed1 == 0) return (0, 0);
        (claimable0[msg.sender], claimable1[msg.sender]) = (0, 0);
        poolFees.pay(msg.sender, claimed0, claimed1);
        emit Claim(msg.sender, msg.sender, claimed0, claimed1);
    }

    function mint(address to) external returns (uint256 liquidity) {
        (uint256 balance0, uint256 balance1) = balances();
        (uint256 amount0, uint256 amount1) = (balance0 - reserve0, balance1 - reserve1);
        uint256 supply = totalSupply();
        if (supply == 0) {
            liquidity = Math.sqrt(amount0 * amount1) - LOCKED;
            _mint(address(1), LOCKED);
            if (stable) require(amount0 * ONE / unit0 == amount1 * ONE / unit1, "deposits not equal");
        } else {
            liquidity = Math.min(amount0 * supply / reserve0, amount1 * supply / reserve1);
        }
        require(liquidity > 0, "nothing minted");
        _mint(to, liquidity);
        sync(balance0, balance1);
        emit Mint(msg.sender, amount0, amount1);
    }

    function burn(address to) external returns (uint256 amount0, uint256 amount1) {
        (uint256 balance0, uint256 balance1) = balances();
        uint256 liquidity = balanceOf(address(this));
        amount0 = liquidity * balance0 / totalSupply();
        amount1 = liquidity * balance1 / totalSupply();
        require(amount0 > 0 && amount1 > 0, "nothing burnt");
        _burn(address(this), liquidity);
        IERC20(token0).safeTransfer(to, amount0);
        IERC20(token1).safeTransfer(to, amount1);
        (balance0, balance1) = balances();
        sync(balance0, balance1);
        emit Burn(msg.sender, to, amount0, amount1);
    }

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        require(amount0Out > 0 || amount1Out > 0, "nothing taken");
        require(amount0Out < reserve0 && amount1Out < reserve1, "too much taken");
        if (amount0Out > 0) IERC20(token0).safeTransfer(to, amount0Out);
        if (amount1Out > 0) IERC20(token1).safeTransfer(to, amount1Out);
        (uint256 amount0In, uint256 amount1In) = paidIn(amount0Out, amount1Out);
        emit Swap(msg.sender, to, amount0In, amount1In, amount0Out, amount1Out);
    }

    function paidIn(uint256 amount0Out, uint256 amount1Out) private returns (uint256 amount0In, uint256 amount1In) {
        (uint256 balance0, uint256 balance1) = balances();
        amount0In = excess(balance0, reserve0 - amount0Out);
        amount1In = excess(balance1, reserve1 - amount1Out);
        require(amount0In > 0 || amount1In > 0, "nothing given");
        uint256 fee = IFees(factory).getFee(address(this), stable);
        keep(amount0In * fee / 10_000, 0);
        keep(0, amount1In * fee / 10_000);
        (balance0, balance1) = balances();
        require(k(balance0, balance1) >= k(reserve0, reserve1), "K");
        sync(balance0, balance1);
    }

    function _update(address from, address to, uint256 value) internal override {
        settle(from);
        settle(to);
        super._update(from, to, value);
    }

    /// Must come before each change of a balance.
    function settle(address owner) private {
        uint256 held = balanceOf(owner);
        if (held > 0) {
            claimable0[owner] += held * (index0 - supplyIndex0[owner]) / ONE;
            claimable1[owner] += held * (index1 - supplyIndex1[owner]) / ONE;
        }
        (supplyIndex0[owner], supplyIndex1[owner]) = (index0, index1);
    }

    function keep(uint256 fee0, uint256 fee1) private {
        if (fee0 == 0 && fee1 == 0) return;
        if (fee0 > 0) IERC20(token0).safeTransfer(address(poolFees), fee0);
        if (fee1 > 0) IERC20(token1).safeTransfer(address(poolFees), fee1);
        index0 += fee0 * ONE / totalSupply();
        index1 += fee1 * ONE / totalSupply();
        emit Fees(msg.sender, fee0, fee1);
    }

    function sync(uint256 balance0, uint256 balance1) private {
        (reserve0, reserve1) = (balance0, balance1);
        emit Sync(balance0, balance1);
    }

    function balances() private view returns (uint256, uint256) {
        return (IERC20(token0).balanceOf(address(this)), IERC20(token1).balanceOf(address(this)));
    }

    function excess(uint256 balance, uint256 expected) private pure returns (uint256) {
        return balance > expected ? balance - expected : 0;
    }

    function k(uint256 x, uint256 y) private view returns (uint256) {
        if (!stable) return x * y;
        (x, y) = (x * ONE / unit0, y * ONE / unit1);
        return (x * y / ONE) * (x * x / ONE + y * y / ONE) / ONE;
    }
}

/// Keeps a pool's fees apart from its reserves.
contract FeePayer {
    using SafeERC20 for IERC20;

    address private immutable pool = msg.sender;
    IERC20 private immutable token0;
    IERC20 private immutable token1;

    constructor(IERC20 one, IERC20 other) {
        (token0, token1) = (one, other);
    }

    function pay(address to, uint256 amount0, uint256 amount1) external {
        require(msg.sender == pool, "not the pool");
        if (amount0 > 0) token0.safeTransfer(to, amount0);
        if (amount1 > 0) token1.safeTransfer(to, amount1);
    }
}
