// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface Payer {
    function liquidityCallback(address token, uint256 amount, bytes calldata data) external;
}

/**
 * Fluid's liquidity layer: keeps all coins, counts what each contract supplied and borrowed in raw units of an exchange price, and
 * logs each movement. Prices are set, limits and rates are left out.
 */
contract FluidLiquidity {
    using SafeERC20 for IERC20;

    struct Price {
        uint256 supply;
        uint256 borrow;
    }

    address public constant COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 private constant UNIT = 1e12;

    mapping(address token => Price) private prices;
    mapping(address user => mapping(address token => uint256)) public suppliedRaw;
    mapping(address user => mapping(address token => uint256)) public borrowedRaw;

    event LogOperate(
        address indexed user,
        address indexed token,
        int256 supplyAmount,
        int256 borrowAmount,
        address withdrawTo,
        address borrowTo,
        uint256 totalAmounts,
        uint256 exchangePricesAndConfig
    );

    receive() external payable {}

    function setPrices(address token, uint256 supply, uint256 borrow) external {
        prices[token] = Price(supply, borrow);
    }

    function supplyPrice(address token) public view returns (uint256) {
        return prices[token].supply == 0 ? UNIT : prices[token].supply;
    }

    function borrowPrice(address token) public view returns (uint256) {
        return prices[token].borrow == 0 ? UNIT : prices[token].borrow;
    }

    /// Positive: supplied, borrowed; negative: withdrawn, repaid. Nothing is transferred where one pays for the other.
    function operate(
        address token,
        int256 supplyAmount,
        int256 borrowAmount,
        address withdrawTo,
        address borrowTo,
        bytes calldata data
    ) external payable {
        book(suppliedRaw[msg.sender], token, supplyAmount, supplyPrice(token));
        book(borrowedRaw[msg.sender], token, borrowAmount, borrowPrice(token));
        if (supplyAmount == 0 || borrowAmount == 0) {
            if (supplyAmount > 0) take(token, uint256(supplyAmount), data);
            if (borrowAmount < 0) take(token, uint256(-borrowAmount), data);
            if (supplyAmount < 0) pay(token, uint256(-supplyAmount), withdrawTo);
            if (borrowAmount > 0) pay(token, uint256(borrowAmount), borrowTo);
        }
        emit LogOperate(msg.sender, token, supplyAmount, borrowAmount, withdrawTo, borrowTo, 0, 0);
    }

    function book(mapping(address => uint256) storage raw, address token, int256 amount, uint256 price) private {
        if (amount >= 0) {
            raw[token] += uint256(amount) * UNIT / price;
            return;
        }
        uint256 less = uint256(-amount) * UNIT / price;
        raw[token] = raw[token] > less ? raw[token] - less : 0;
    }

    function take(address token, uint256 amount, bytes calldata data) private {
        if (token == COIN) {
            require(msg.value == amount, "not paid");
            return;
        }
        uint256 before = IERC20(token).balanceOf(address(this));
        Payer(msg.sender).liquidityCallback(token, amount, data);
        require(IERC20(token).balanceOf(address(this)) >= before + amount, "not paid");
    }

    function pay(address token, uint256 amount, address to) private {
        if (token != COIN) {
            IERC20(token).safeTransfer(to, amount);
            return;
        }
        (bool ok,) = to.call{value: amount}("");
        require(ok, "not taken");
    }
}
