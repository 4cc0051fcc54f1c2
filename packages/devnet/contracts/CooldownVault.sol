// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// Keeps what leaves a `CooldownVault` until its time. It logs nothing itself.
contract CooldownSilo {
    address private immutable vault;
    IERC20 private immutable asset;

    constructor(address vault_, IERC20 asset_) {
        vault = vault_;
        asset = asset_;
    }

    function withdraw(address to, uint256 amount) external {
        require(msg.sender == vault, "OnlyStakingVault");
        asset.transfer(to, amount);
    }
}

/**
 * Ethena's sUSDe as far as holders see it: an ERC-4626 vault whose rewards vest over eight hours, and whose assets leave by way
 * of a silo. A further cooldown adds to the amount and starts the time anew for all of it. Anyone may bring rewards here.
 */
contract CooldownVault is ERC4626 {
    struct UserCooldown {
        uint104 cooldownEnd;
        uint152 underlyingAmount;
    }

    uint256 private constant VESTING_PERIOD = 8 hours;
    uint256 private constant MIN_SHARES = 1 ether;

    mapping(address => UserCooldown) public cooldowns;
    CooldownSilo public immutable silo;
    uint24 public cooldownDuration;
    uint256 public vestingAmount;
    uint256 public lastDistributionTimestamp;

    event RewardsReceived(uint256 amount);
    event CooldownDurationUpdated(uint24 previousDuration, uint24 newDuration);

    constructor(IERC20 asset, string memory name, string memory symbol, uint24 duration)
        ERC20(name, symbol)
        ERC4626(asset)
    {
        silo = new CooldownSilo(address(this), asset);
        cooldownDuration = duration;
    }

    function setCooldownDuration(uint24 duration) external {
        emit CooldownDurationUpdated(cooldownDuration, duration);
        cooldownDuration = duration;
    }

    function transferInRewards(uint256 amount) external {
        require(amount > 0, "InvalidAmount");
        require(getUnvestedAmount() == 0, "StillVesting");
        vestingAmount = amount;
        lastDistributionTimestamp = block.timestamp;
        IERC20(asset()).transferFrom(msg.sender, address(this), amount);
        emit RewardsReceived(amount);
    }

    function totalAssets() public view override returns (uint256) {
        return IERC20(asset()).balanceOf(address(this)) - getUnvestedAmount();
    }

    function getUnvestedAmount() public view returns (uint256) {
        uint256 passed = block.timestamp - lastDistributionTimestamp;
        return passed >= VESTING_PERIOD ? 0 : (VESTING_PERIOD - passed) * vestingAmount / VESTING_PERIOD;
    }

    function withdraw(uint256 assets, address receiver, address owner) public override returns (uint256) {
        require(cooldownDuration == 0, "OperationNotAllowed");
        return super.withdraw(assets, receiver, owner);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        require(cooldownDuration == 0, "OperationNotAllowed");
        return super.redeem(shares, receiver, owner);
    }

    function cooldownAssets(uint256 assets) external returns (uint256 shares) {
        require(assets <= maxWithdraw(msg.sender), "ExcessiveWithdrawAmount");
        shares = previewWithdraw(assets);
        coolDown(assets, shares);
    }

    function cooldownShares(uint256 shares) external returns (uint256 assets) {
        require(shares <= maxRedeem(msg.sender), "ExcessiveRedeemAmount");
        assets = previewRedeem(shares);
        coolDown(assets, shares);
    }

    /// All of it, to any receiver. Nothing is logged but the transfer of the asset.
    function unstake(address receiver) external {
        UserCooldown storage mine = cooldowns[msg.sender];
        uint256 assets = mine.underlyingAmount;
        require(block.timestamp >= mine.cooldownEnd || cooldownDuration == 0, "InvalidCooldown");
        mine.cooldownEnd = 0;
        mine.underlyingAmount = 0;
        silo.withdraw(receiver, assets);
    }

    function coolDown(uint256 assets, uint256 shares) private {
        require(cooldownDuration != 0, "OperationNotAllowed");
        UserCooldown storage mine = cooldowns[msg.sender];
        mine.cooldownEnd = uint104(block.timestamp) + cooldownDuration;
        mine.underlyingAmount += uint152(assets);
        _withdraw(msg.sender, address(silo), msg.sender, assets, shares);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        require(assets > 0 && shares > 0, "InvalidAmount");
        super._deposit(caller, receiver, assets, shares);
        checkMinShares();
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        require(assets > 0 && shares > 0, "InvalidAmount");
        super._withdraw(caller, receiver, owner, assets, shares);
        checkMinShares();
    }

    function checkMinShares() private view {
        uint256 supply = totalSupply();
        require(supply == 0 || supply >= MIN_SHARES, "MinSharesViolation");
    }
}
