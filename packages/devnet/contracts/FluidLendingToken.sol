// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {FluidLiquidity} from "./FluidLiquidity.sol";

/// Fluid's ERC-4626 for lenders: an exchange price of 12 decimals, assets rounded down and shares burnt rounded up.
contract FluidLendingToken is ERC20 {
    using SafeERC20 for IERC20;

    FluidLiquidity private immutable liquidity;
    address public immutable asset;

    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    constructor(FluidLiquidity liquidity_, address asset_) ERC20("Fluid", "f") {
        (liquidity, asset) = (liquidity_, asset_);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * liquidity.supplyPrice(asset) / 1e12;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        liquidity.operate(asset, int256(assets), 0, address(0), address(0), abi.encode(msg.sender));
        shares = assets * 1e12 / liquidity.supplyPrice(asset);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        require(owner == msg.sender, "not yours");
        assets = convertToAssets(shares);
        uint256 burnt = Math.mulDiv(assets, 1e12, liquidity.supplyPrice(asset), Math.Rounding.Ceil);
        _burn(owner, burnt);
        liquidity.operate(asset, -int256(assets), 0, receiver, address(0), "");
        emit Withdraw(msg.sender, receiver, owner, assets, burnt);
    }

    function liquidityCallback(address token, uint256 amount, bytes calldata data) external {
        require(msg.sender == address(liquidity), "not for you");
        IERC20(token).safeTransferFrom(abi.decode(data, (address)), msg.sender, amount);
    }
}
