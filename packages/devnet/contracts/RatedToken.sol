// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A token whose unit is worth a figure that anyone may set, and a provider of rates to others. It has the views of every
/// protocol by which such a figure is asked for. Without an asset it is bought and redeemed for the native coin.
contract RatedToken is ERC20 {
    uint8 private immutable digits;
    uint256 private immutable unit;
    IERC20 public immutable base;
    uint256 private figure;
    bool private refuses;

    /// `rateDigits`: those of the figure, which need not be the token's.
    constructor(string memory symbol_, uint8 decimals_, uint8 rateDigits, IERC20 base_) ERC20(symbol_, symbol_) {
        digits = decimals_;
        unit = 10 ** rateDigits;
        base = base_;
        figure = unit;
    }

    function decimals() public view override returns (uint8) {
        return digits;
    }

    function set(uint256 figure_, bool refuses_) external {
        figure = figure_;
        refuses = refuses_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function deposit(uint256 amount) external payable {
        uint256 paid = address(base) == address(0) ? msg.value : amount;
        if (address(base) != address(0)) require(base.transferFrom(msg.sender, address(this), amount), "not paid");
        _mint(msg.sender, (paid * unit) / figure);
    }

    function redeem(uint256 amount) external {
        _burn(msg.sender, amount);
        uint256 due = worth(amount);
        if (address(base) != address(0)) require(base.transfer(msg.sender, due), "not paid");
        else {
            (bool paid,) = msg.sender.call{value: due}("");
            require(paid, "not paid");
        }
    }

    function current() private view returns (uint256) {
        require(!refuses, "paused");
        return figure;
    }

    function worth(uint256 amount) private view returns (uint256) {
        uint256 rate_ = current();
        return rate_ == 0 ? 0 : amount > type(uint256).max / rate_ ? type(uint256).max : (amount * rate_) / unit;
    }

    function getRate() external view returns (uint256) {
        return current();
    }

    function exchangeRate() external view returns (uint256) {
        return current();
    }

    function getExchangeRate() external view returns (uint256) {
        return current();
    }

    function rate() external view returns (uint256) {
        return current();
    }

    function ratio() external view returns (uint256) {
        return current();
    }

    function getEthValue(uint256 amount) external view returns (uint256) {
        return worth(amount);
    }

    function getPooledAvaxByShares(uint256 amount) external view returns (uint256) {
        return worth(amount);
    }

    function convertToAssets(uint256 amount) external view returns (uint256) {
        return worth(amount);
    }

    function mETHToETH(uint256 amount) external view returns (uint256) {
        return worth(amount);
    }

    function convertSnBnbToBnb(uint256 amount) external view returns (uint256) {
        return worth(amount);
    }
}
